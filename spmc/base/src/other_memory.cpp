// Copying between the memory of two processes.
#include <base/copy.hpp>
#include <base/sys.hpp>

#include <sys/prctl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace spmc::base {
namespace {

// The kernel stops at the first page it may not touch, and after 2 GiB.
template <typename Call>
Status move_all(const char* what, Call&& call, char* mine, uint64_t theirs, size_t bytes) {
  while (bytes > 0) {
    iovec local{mine, bytes};
    iovec remote{reinterpret_cast<void*>(theirs), bytes};
    const ssize_t moved = call(&local, &remote);
    if (moved <= 0) return Error{moved < 0 ? errno : EFAULT, what};
    mine += moved;
    theirs += static_cast<size_t>(moved);
    bytes -= static_cast<size_t>(moved);
  }
  return {};
}

// Where the kernel's copy would be slow: by way of a buffer that lies well for it, in the second-level cache.
class Detour {
 public:
  Detour(uintptr_t to, uintptr_t from, size_t bytes)
      : needed_(bytes > kCopiedPlainly && slows_string_copy(to, from)) {}
  bool needed() const { return needed_; }
  // move(buffer, at, bytes) for all pieces, as long as it succeeds; `theirs`: the other process's address.
  template <typename Move>
  Status take(uintptr_t theirs, size_t bytes, Move&& move) {
    char* const buffer = room_ + (theirs + kPage / 2 - reinterpret_cast<uintptr_t>(room_)) % kPage;
    for (size_t at = 0; at < bytes; at += kPieceBytes) {
      const Status moved = move(buffer, at, std::min(kPieceBytes, bytes - at));
      if (!moved) return moved;
    }
    return {};
  }

 private:
  static constexpr size_t kPage = 4096, kPieceBytes = 8 * kPage;
  bool needed_;
  char room_[kPieceBytes + kPage];
};

}  // namespace

void let_family_copy(pid_t ancestor) { ::prctl(PR_SET_PTRACER, ancestor, 0, 0, 0); }

Status read_memory(pid_t from, uint64_t theirs, void* mine, size_t bytes) {
  const auto call = [from](const iovec* local, const iovec* remote) {
    return ::process_vm_readv(from, local, 1, remote, 1, 0);
  };
  const auto move = [&](char* to, size_t at, size_t n) {
    return move_all("reading the memory of another process", call, to, theirs + at, n);
  };
  auto* const to = static_cast<char*>(mine);
  Detour detour(reinterpret_cast<uintptr_t>(to), theirs, bytes);
  if (!detour.needed()) return move(to, 0, bytes);
  return detour.take(theirs, bytes, [&](char* buffer, size_t at, size_t n) {
    const Status moved = move(buffer, at, n);
    if (moved) copy_memory(to + at, buffer, n);
    return moved;
  });
}

Status write_memory(pid_t to, uint64_t theirs, const void* mine, size_t bytes) {
  const auto call = [to](const iovec* local, const iovec* remote) {
    return ::process_vm_writev(to, local, 1, remote, 1, 0);
  };
  const auto move = [&](char* from, size_t at, size_t n) {
    return move_all("writing to the memory of another process", call, from, theirs + at, n);
  };
  auto* const from = static_cast<char*>(const_cast<void*>(mine));
  Detour detour(theirs, reinterpret_cast<uintptr_t>(from), bytes);
  if (!detour.needed()) return move(from, 0, bytes);
  return detour.take(theirs, bytes, [&](char* buffer, size_t at, size_t n) {
    copy_memory(buffer, from + at, n);
    return move(buffer, at, n);
  });
}

}  // namespace spmc::base
