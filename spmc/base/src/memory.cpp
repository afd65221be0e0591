// Descriptors, mappings and shared files.
#include <base/files.hpp>
#include <base/mapping.hpp>
#include <base/sys.hpp>
#include <base/unique_fd.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace spmc::base {
namespace {

// While it lives this process may make a file of `size` bytes, if the hard limit allows it. A sparse file counts with
// its whole size, and one that is too large brings SIGXFSZ. Stores into its pages are not subject to the limit.
class LargeFilesAllowed {
 public:
  explicit LargeFilesAllowed(size_t size) {
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0 || size <= before_.rlim_cur) return;
    rlimit raised = before_;
    raised.rlim_cur = raised.rlim_max;
    changed_ = ::setrlimit(RLIMIT_FSIZE, &raised) == 0;
    enough_ = changed_ && size <= raised.rlim_cur;
  }
  LargeFilesAllowed(const LargeFilesAllowed&) = delete;
  LargeFilesAllowed& operator=(const LargeFilesAllowed&) = delete;
  ~LargeFilesAllowed() {
    if (changed_) ::setrlimit(RLIMIT_FSIZE, &before_);
  }
  bool enough() const { return enough_; }

 private:
  rlimit before_{};
  bool changed_ = false;
  bool enough_ = true;
};

}  // namespace

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this != &other) {
    reset();
    base_ = std::exchange(other.base_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void Mapping::reset() {
  if (base_ != nullptr) ::munmap(base_, size_);
  base_ = nullptr;
  size_ = 0;
}

Result<Mapping> Mapping::try_shared_at(void* address, size_t size, int fd) {
  void* p = ::mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0);
  if (p == MAP_FAILED) return Error{errno, "mapping the shared segment at its fixed address"};
  return Mapping(p, size);
}

Result<Mapping> Mapping::try_shared(size_t size, int fd) {
  void* p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (p == MAP_FAILED) return Error{errno, "mapping a shared file"};
  return Mapping(p, size);
}

Result<Mapping> Mapping::try_read_only(size_t size, int fd) {
  void* p = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
  if (p == MAP_FAILED) return Error{errno, "mapping a file for reading"};
  return Mapping(p, size);
}

Result<Mapping> Mapping::try_private(size_t size) {
  void* p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return Error{errno, "mapping private memory"};
  return Mapping(p, size);
}

Result<Mapping> Mapping::try_reserve_at(void* address, size_t size) {
  void* p = ::mmap(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return Error{errno, "reserving an address range"};
  return Mapping(p, size);
}

Status protect(void* address, size_t size, Protection protection) {
  const int prot = protection == Protection::kNone   ? PROT_NONE
                   : protection == Protection::kRead ? PROT_READ
                                                     : PROT_READ | PROT_WRITE;
  if (::mprotect(address, size, prot) != 0) return Error{errno, "mprotect"};
  return {};
}

Status discard(void* address, size_t size) {
  if (::madvise(address, size, MADV_DONTNEED) != 0) return Error{errno, "madvise"};
  return {};
}

void bring_in(void* address, size_t size) {
  constexpr uintptr_t kPageBytes = 4096;
#ifdef MADV_POPULATE_WRITE
  const auto first = (reinterpret_cast<uintptr_t>(address) + kPageBytes - 1) / kPageBytes * kPageBytes;
  const auto end = (reinterpret_cast<uintptr_t>(address) + size) / kPageBytes * kPageBytes;
  if (end > first) (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE);
#else
  (void)address, (void)size;
#endif
}

Result<UniqueFd> create_shared_file(const char* name, size_t size) {
  UniqueFd fd = above_standard_files(UniqueFd(::memfd_create(name, MFD_CLOEXEC)));
  if (!fd.valid()) return Error{errno, "memfd_create"};
  const LargeFilesAllowed allowed(size);
  if (!allowed.enough()) return Error{EFBIG, "the shared memory is a larger file than is allowed (ulimit -f)"};
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0) return Error{errno, "sizing the shared segment"};
  return fd;
}

Result<size_t> file_size(int fd) {
  struct stat st;
  if (::fstat(fd, &st) != 0) return Error{errno, "fstat"};
  return static_cast<size_t>(st.st_size);
}

Status punch_hole(int fd, size_t offset, size_t size) {
  if (::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(size)) != 0) {
    return Error{errno, "fallocate"};
  }
  return {};
}

size_t physical_memory_bytes() {
  return static_cast<size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace spmc::base
