#include <base/children.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>

namespace spmc::base {
namespace {

void (*g_on_end)() = nullptr;
struct sigaction g_forward_to;  // SIG_DFL, SIG_IGN or the program's handler

void handle(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  g_on_end();
  if (g_forward_to.sa_flags & SA_SIGINFO) {
    g_forward_to.sa_sigaction(signal, info, context);
  } else if (g_forward_to.sa_handler != SIG_DFL && g_forward_to.sa_handler != SIG_IGN) {
    g_forward_to.sa_handler(signal);
  }
  errno = saved;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
}

}  // namespace

void watch_children(void (*on_end)()) {
  g_on_end = on_end;
  struct sigaction now;
  ::sigaction(SIGCHLD, nullptr, &now);
  if (is_ours(now)) return;
  g_forward_to = now;
  struct sigaction ours = {};
  ours.sa_sigaction = handle;
  ours.sa_mask = now.sa_mask;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP | (now.sa_flags & SA_ONSTACK);
  ::sigaction(SIGCHLD, &ours, nullptr);
}

ChildSignalsAllowed::ChildSignalsAllowed() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  ::pthread_sigmask(SIG_UNBLOCK, &set, &before_);
}

ChildSignalsAllowed::~ChildSignalsAllowed() {
  const int saved = errno;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = saved;
}

pid_t peek_ended_child() {
  siginfo_t info;
  info.si_pid = 0;
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
  return info.si_pid;
}

Status adopt_orphans() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return Error{errno, "becoming the parent of orphans"};
  return {};
}

}  // namespace spmc::base
