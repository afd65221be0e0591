// Regions for C++: an owned mapping of a region in this space, with Results for errors. Meaning, blocking and
// errors of each operation are those of the function of the same name in spmc.h. Offsets and sizes are in
// bytes.
#pragma once

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

#include <spmc/spmc.h>
#include <base/result.hpp>

namespace spmc {

class Region {
 public:
  // The caller is the producer of a new region. ENOMEM, EINVAL.
  static base::Result<Region> try_create(size_t bytes) {
    void* at = spmcR_alloc(bytes);
    if (at == nullptr) return base::Error{errno, "spmcR_alloc"};
    return Region(static_cast<std::byte*>(at), bytes);
  }
  // For a space that was handed a region at `at`.
  static Region adopt(void* at, size_t bytes) { return Region(static_cast<std::byte*>(at), bytes); }

  Region(Region&& other) noexcept : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Region& operator=(Region&& other) noexcept {
    if (this != &other) {
      clear();
      base_ = std::exchange(other.base_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  ~Region() { clear(); }

  std::byte* data() const { return base_; }  // touching it faults pages in, in every mode
  size_t size() const { return size_; }
  // Bytes that hold data: the last page is the extension page.
  size_t data_size() const { return size_ - SPMC_PAGE_SIZE; }
  std::byte* extension() const { return base_ + data_size(); }

  base::Status transown(int child) { return transown(child, base_); }
  base::Status transown(int child, void* at) {
    return status(spmcR_transown(child, base_, at, size_), "spmcR_transown");
  }
  base::Status copycons(int child) { return copycons(child, base_); }
  base::Status copycons(int child, void* at) {
    return status(spmcR_copycons(child, base_, at, size_), "spmcR_copycons");
  }

  base::Status write(size_t offset, std::span<const std::byte> from) {
    return status(spmcR_write(base_ + offset, from.data(), from.size()), "spmcR_write");
  }
  base::Status read(size_t offset, std::span<std::byte> to) const {
    return status(spmcR_read(base_ + offset, to.data(), to.size()), "spmcR_read");
  }
  base::Status setfix(size_t offset, size_t bytes) {
    return status(spmcR_setfix(base_ + offset, bytes), "spmcR_setfix");
  }
  base::Status publish(size_t offset, size_t bytes) {
    return status(spmcR_publish(base_ + offset, bytes), "spmcR_publish");
  }
  base::Result<bool> test(size_t offset) const {
    const int answer = spmcR_test(base_ + offset);
    if (answer < 0) return base::Error{errno, "spmcR_test"};
    return answer == 1;
  }
  // Moves all but the last page on to the next generation.
  base::Status extend() { return status(spmcR_extend(extension(), base_, data_size()), "spmcR_extend"); }

  // Gives the mapping up; the destructor does too. No effect when that has been done.
  void clear() {
    if (base_ != nullptr) (void)spmcR_clear(base_, size_);
    base_ = nullptr;
    size_ = 0;
  }

 private:
  Region(std::byte* base, size_t size) : base_(base), size_(size) {}
  static base::Status status(int answer, const char* call) {
    if (answer == 0) return {};
    return base::Error{errno, call};
  }

  std::byte* base_;
  size_t size_;
};

}  // namespace spmc
