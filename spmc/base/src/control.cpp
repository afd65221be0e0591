#include <base/control.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace spmc::base {

Result<UniqueFd> open_process(pid_t pid) {
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid()) return Error{errno, "pidfd_open"};
  return process;
}

Status signal_process(const UniqueFd& process, int signal) {
  if (::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) != 0)
    return Error{errno, "pidfd_send_signal"};
  return {};
}

Status set_cores(pid_t pid, const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  if (::sched_setaffinity(pid, sizeof set, &set) != 0) return Error{errno, "sched_setaffinity"};
  return {};
}

Status set_niceness(pid_t pid, int niceness) {
  if (::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), niceness) != 0) return Error{errno, "setpriority"};
  return {};
}

bool has_batch_scheduling() { return ::sched_getscheduler(0) == SCHED_BATCH; }

void set_batch_scheduling(bool batch) {
  const int before = ::sched_getscheduler(0);
  if (before != SCHED_OTHER && before != SCHED_BATCH) return;
  const sched_param none{};
  (void)::sched_setscheduler(0, batch ? SCHED_BATCH : SCHED_OTHER, &none);
}

}  // namespace spmc::base
