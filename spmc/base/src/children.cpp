#include <base/children.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>

namespace spmc::base {
namespace {

void (*g_on_end)() = nullptr;

// What was there before our handler, and what the program has installed since, the newest last. Each of the newer ones
// may call the one before it, which is ours: then that goes on with the next older one.
constexpr int kMostForwards = 8;
struct sigaction g_forward_to[kMostForwards];
int g_forwards = 0;
// How many calls of `handle` this thread is in.
[[gnu::tls_model("initial-exec")]] thread_local volatile int t_depth = 0;

void forward(const struct sigaction& to, int signal, siginfo_t* info, void* context) {
  if (to.sa_handler == SIG_DFL || to.sa_handler == SIG_IGN) return;
  if (to.sa_flags & SA_SIGINFO) to.sa_sigaction(signal, info, context);
  else to.sa_handler(signal);
}

void handle(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const int depth = t_depth;
  g_on_end();
  if (depth < g_forwards) {
    t_depth = depth + 1;
    forward(g_forward_to[g_forwards - 1 - depth], signal, info, context);
    t_depth = depth;
  }
  errno = saved;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
}

// A handler that is installed again and again is one; if there are too many, the last one makes room.
void forward_to(const struct sigaction& newest) {
  const bool again = g_forwards > 0 && g_forward_to[g_forwards - 1].sa_handler == newest.sa_handler;
  if (again || g_forwards == kMostForwards) g_forwards -= 1;
  g_forward_to[g_forwards] = newest;
  g_forwards += 1;
}

sigset_t child_signal() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  return set;
}

}  // namespace

bool watch_children(void (*on_end)()) {
  g_on_end = on_end;
  struct sigaction now;
  ::sigaction(SIGCHLD, nullptr, &now);
  if (is_ours(now)) return false;
  forward_to(now);
  struct sigaction ours = {};
  ours.sa_sigaction = handle;
  ours.sa_mask = now.sa_mask;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP | (now.sa_flags & SA_ONSTACK);
  ::sigaction(SIGCHLD, &ours, nullptr);
  return true;
}

bool wants_no_zombies() {
  if (g_forwards == 0) return false;
  const struct sigaction& newest = g_forward_to[g_forwards - 1];
  return newest.sa_handler == SIG_IGN || (newest.sa_flags & SA_NOCLDWAIT) != 0;
}

void allow_child_signals() {
  const sigset_t set = child_signal();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

ChildSignalsAllowed::ChildSignalsAllowed() {
  const sigset_t set = child_signal();
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
