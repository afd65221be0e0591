#include <base/files.hpp>
#include <base/sys.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <string>

namespace spmc::base {

Result<UniqueFd> create_append_file(const char* name) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return Error{errno, "memfd_create"};
  if (::fcntl(fd.get(), F_SETFL, O_APPEND) < 0 || ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK) < 0)
    return Error{errno, "fcntl"};
  return fd;
}

Result<uint64_t> end_of_file(int fd) {
  const off_t end = ::lseek(fd, 0, SEEK_END);
  if (end < 0) return Error{errno, "lseek"};
  return static_cast<uint64_t>(end);
}

Result<size_t> read_at(int fd, uint64_t offset, void* data, size_t bytes) {
  for (;;) {
    const ssize_t n = ::pread(fd, data, bytes, static_cast<off_t>(offset));
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR) return Error{errno, "pread"};
  }
}

std::string_view read_start(const char* path, std::span<char> room) {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  auto got = read_at(file.get(), 0, room.data(), room.size());
  return {room.data(), got ? got.value() : 0};
}

Status append(int fd, const void* data, size_t bytes) {
  for (;;) {
    const ssize_t n = ::write(fd, data, bytes);
    if (n == static_cast<ssize_t>(bytes)) return {};
    if (n >= 0) return Error{EIO, "write"};
    if (errno != EINTR) return Error{errno, "write"};
  }
}

Status write_all(int fd, const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{errno, "write"};
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return {};
}

Result<const volatile char*> map_page(int fd, uint64_t offset, const volatile char* page) {
  constexpr uint64_t kPage = 4096;
  void* at = const_cast<char*>(page);
  void* mapped = ::mmap(at, kPage, PROT_READ, MAP_SHARED | (page != nullptr ? MAP_FIXED : 0), fd,
                        static_cast<off_t>(offset & ~(kPage - 1)));
  if (mapped == MAP_FAILED) return Error{errno, "mmap"};
  return static_cast<const volatile char*>(mapped);
}

Result<size_t> write_ready(int fd, const void* data, size_t bytes, uint64_t timeout_ns) {
  struct stat st;
  if (::fstat(fd, &st) != 0) return Error{errno, "fstat"};
  if (!S_ISREG(st.st_mode)) {
    pollfd ready{fd, POLLOUT, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(timeout_ns / 1'000'000));
    if (found == 0 || (found < 0 && errno == EINTR)) return size_t{0};
    // A pipe that is ready takes so much.
    bytes = std::min<size_t>(bytes, PIPE_BUF);
  }
  const ssize_t n = ::write(fd, data, bytes);
  if (n >= 0) return static_cast<size_t>(n);
  if (errno == EINTR || errno == EAGAIN) return size_t{0};
  return Error{errno, "writing to standard output"};
}

Result<Pipe> create_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{errno, "pipe2"};
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

bool wait_for_hang_up(int read_end, uint64_t timeout_ns) {
  constexpr uint64_t kNsPerMs = 1'000'000;
  const uint64_t until = monotonic_ns() + timeout_ns;
  pollfd ready{read_end, 0, 0};  // a hang-up is reported always
  for (uint64_t now = monotonic_ns(); now < until; now = monotonic_ns()) {
    const uint64_t left_ms = (until - now + kNsPerMs - 1) / kNsPerMs;
    if (::poll(&ready, 1, static_cast<int>(left_ms)) > 0) return true;
  }
  return false;
}

void flush_stdio() {
  if (::ftrylockfile(stdin) == 0) {
    std::fflush(nullptr);
    ::funlockfile(stdin);
  } else {
    std::fflush(stdout);
    std::fflush(stderr);
  }
}

void open_standard_files() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR);  // the lowest number that is free
  if (fd >= 0) ::close(fd);
}

UniqueFd above_standard_files(UniqueFd fd) {
  if (!fd.valid() || fd.get() > STDERR_FILENO) return fd;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

bool is_terminal(int fd) { return ::isatty(fd) != 0; }

bool same_file(int one, int other) {
  struct stat a, b;
  return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Status make_standard_output(int fd) {
  if (::dup2(fd, STDOUT_FILENO) < 0) return Error{errno, "dup2"};
  return {};
}

Status make_standard_input(int fd) {
  if (::dup2(fd, STDIN_FILENO) < 0) return Error{errno, "dup2"};
  return {};
}

Status make_standard_error(int fd) {
  if (::dup2(fd, STDERR_FILENO) < 0) return Error{errno, "dup2"};
  return {};
}

Result<UniqueFd> open_again(int fd) {
  UniqueFd again(::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC));
  if (!again.valid()) return Error{errno, "open"};
  return again;
}

Status append_all(int from, int to, uint64_t patience_ns, void (*on_wait)()) {
  constexpr size_t kBlock = 64 * 1024;
  const auto block = std::make_unique<char[]>(kBlock);
  pollfd ready{from, POLLIN, 0};
  bool told = false;
  for (;;) {
    const int found = ::poll(&ready, 1, told ? -1 : static_cast<int>(patience_ns / 1'000'000));
    if (found == 0) {
      on_wait();
      told = true;
    }
    if (found <= 0) continue;
    const ssize_t n = ::read(from, block.get(), kBlock);
    if (n == 0) return {};
    if (n > 0) DL_TRY_STATUS(append(to, block.get(), static_cast<size_t>(n)));
    else if (errno != EINTR && errno != EAGAIN) return Error{errno, "read"};
  }
}

UniqueFd move_high(UniqueFd fd) {
  constexpr int kHigh = 960;  // below the usual limit of 1024
  const int high = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, kHigh);
  return high < 0 ? std::move(fd) : UniqueFd(high);
}

void close_on_exec(int fd) { ::fcntl(fd, F_SETFD, FD_CLOEXEC); }

Result<uint64_t> allow_descriptors(uint64_t count) {
  constexpr uint64_t kOthers = 256, kFewOthers = 64;  // that are open besides
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return Error{errno, "getrlimit"};
  const rlim_t before = limit.rlim_cur;
  if (before >= count + kOthers) return uint64_t{before};
  limit.rlim_cur = std::min(limit.rlim_max, count + kOthers);
  if (limit.rlim_cur < count + kFewOthers || ::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return Error{EMFILE, "a file for the output of every rank"};
  }
  return uint64_t{before};
}

void set_descriptor_limit(uint64_t soft) {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = soft;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace spmc::base
