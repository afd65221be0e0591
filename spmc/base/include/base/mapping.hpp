// An owned range of mapped memory.
#pragma once

#include <cstddef>
#include <utility>

#include <base/result.hpp>

namespace spmc::base {

class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping() { reset(); }

  // Maps `size` bytes of the shared file `fd` from its start at exactly `address`; never replaces a mapping.
  static Result<Mapping> try_shared_at(void* address, size_t size, int fd);
  // The same wherever there is room.
  static Result<Mapping> try_shared(size_t size, int fd);
  // The first `size` bytes of the file `fd` for reading only. When the file shrinks below, reading there is SIGBUS.
  static Result<Mapping> try_read_only(size_t size, int fd);
  // `size` bytes of private memory, zero; the system gives the pages that are touched.
  static Result<Mapping> try_private(size_t size);
  // Reserves `size` bytes of private, inaccessible, zero memory at exactly `address`; costs nothing until used.
  static Result<Mapping> try_reserve_at(void* address, size_t size);

  std::byte* base() const { return static_cast<std::byte*>(base_); }
  size_t size() const { return size_; }
  void reset();

 private:
  Mapping(void* base, size_t size) : base_(base), size_(size) {}
  void* base_ = nullptr;
  size_t size_ = 0;
};

enum class Protection { kNone, kRead, kReadWrite };

// Changes the access of whole pages. Async-signal-safe.
Status protect(void* address, size_t size, Protection protection);
// Gives the memory of private pages back; they read as zero afterwards, those of a file as the file. Async-signal-safe.
Status discard(void* address, size_t size);
// Gives private memory that will be written all over its pages at once, in place of one at each first touch. Where the
// kernel cannot, nothing changes.
void bring_in(void* address, size_t size);

}  // namespace spmc::base
