// Processes: forking them tied to their parent, waiting for them, scheduling.
#include <base/check.hpp>
#include <base/sys.hpp>

#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace spmc::base {

void tie_to_parent(pid_t expected_parent) {
  // The order matters: a parent that dies after the prctl kills us, one that died before is seen by getppid.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != expected_parent) ::_exit(128 + SIGKILL);
}

Result<pid_t> fork_tied() {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return Error{errno, "fork"};
  if (child == 0) tie_to_parent(parent);
  return child;
}

pid_t process_id() { return ::getpid(); }
pid_t parent_process_id() { return ::getppid(); }

Result<ExitReport> wait_child(pid_t pid, WaitMode mode) {
  int status = 0;
  const pid_t ended = ::waitpid(pid, &status, mode == WaitMode::kPoll ? WNOHANG : 0);
  if (ended < 0) return Error{errno, "waitpid"};
  ExitReport report;
  report.pid = ended;
  if (ended == 0) return report;
  report.signalled = WIFSIGNALED(status);
  report.status = report.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  report.core_dumped = report.signalled && WCOREDUMP(status);
  return report;
}

Status send_signal(pid_t pid, int signal) {
  if (::kill(pid, signal) != 0) return Error{errno, "kill"};
  return {};
}

bool addresses_repeat() {
  const int now = ::personality(0xffffffff);
  return now >= 0 && (now & ADDR_NO_RANDOMIZE) != 0;
}

Status make_addresses_repeat() {
  const int now = ::personality(0xffffffff);
  if (now < 0 || ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0) {
    return Error{errno, "turning address-space randomisation off"};
  }
  return {};
}

unsigned usable_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

void yield_core() { ::sched_yield(); }

Status pin_to_core(unsigned nth) {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return Error{errno, "sched_getaffinity"};
  unsigned skip = nth % static_cast<unsigned>(CPU_COUNT(&set));
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &set) || skip-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0) return Error{errno, "sched_setaffinity"};
    return {};
  }
  return Error{EINVAL, "pinning to a core"};
}

uint64_t monotonic_ns() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

void sleep_ns(uint64_t ns) {
  timespec left{static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace spmc::base
