#include <base/session.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include <base/files.hpp>
#include <base/unique_fd.hpp>

namespace spmc::base {
namespace {

// The kernel may refuse: then this session counts as any other.
void weigh_session(int niceness) {
  const UniqueFd file(::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return;
  char text[16];
  const int length = std::snprintf(text, sizeof text, "%d", niceness);
  (void)!::write(file.get(), text, static_cast<size_t>(length));
}

}  // namespace

bool cores_go_by_session() {
  char text[8] = "";
  return read_start("/proc/sys/kernel/sched_autogroup_enabled", text).starts_with('1');
}

bool leads_session() { return ::getsid(0) == ::getpid(); }

Status begin_session() {
  const int niceness = ::getpriority(PRIO_PROCESS, 0);
  if (::setsid() < 0) return Error{errno, "setsid"};
  if (niceness != 0) weigh_session(niceness);
  return {};
}

Status signal_group(pid_t leader, int signal) {
  if (::kill(-leader, signal) != 0) return Error{errno, "kill"};
  return {};
}

void stop_here() { ::raise(SIGSTOP); }

}  // namespace spmc::base
