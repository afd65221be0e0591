// Copying between the memory of two processes.
#include <base/sys.hpp>

#include <sys/prctl.h>
#include <sys/uio.h>

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

}  // namespace

void let_family_copy(pid_t ancestor) { ::prctl(PR_SET_PTRACER, ancestor, 0, 0, 0); }

Status read_memory(pid_t from, uint64_t theirs, void* mine, size_t bytes) {
  const auto call = [from](const iovec* local, const iovec* remote) {
    return ::process_vm_readv(from, local, 1, remote, 1, 0);
  };
  return move_all("reading the memory of another process", call, static_cast<char*>(mine), theirs, bytes);
}

Status write_memory(pid_t to, uint64_t theirs, const void* mine, size_t bytes) {
  const auto call = [to](const iovec* local, const iovec* remote) {
    return ::process_vm_writev(to, local, 1, remote, 1, 0);
  };
  return move_all("writing to the memory of another process", call, static_cast<char*>(const_cast<void*>(mine)), theirs,
                  bytes);
}

}  // namespace spmc::base
