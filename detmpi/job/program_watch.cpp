// The monitor of a program of fork start. That, or the monitor of the ranks that it becomes, has said what there is to
// say, unless it was killed. Or it is a script, one of whose processes becomes their monitor.
#include <base/check.hpp>
#include <base/children.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>

#include <csignal>
#include <cstring>
#include <utility>

#include "watch.hpp"

namespace detmpi {
namespace {

class ProgramWatch final : public Watch {
 public:
  ProgramWatch(pid_t program, DeadlockHandler on_deadlock) : Watch(on_deadlock), program_(program) {}

 private:
  bool all_ended() const override { return ended_ && !has_monitor(); }

  // Also orphans that detmpirun has adopted.
  void reap() override {
    while (const pid_t pid = spmc::base::peek_ended_child()) {
      auto report = spmc::base::wait_child(pid, spmc::base::WaitMode::kPoll);
      if (!report || report.value().pid == 0) return;
      if (pid == program_ && !std::exchange(ended_, true)) judge(report.value());
    }
  }

  bool has_monitor() const override {
    const pid_t monitor = monitor_process();
    if (monitor == 0 || monitor == program_) return monitor != 0 && !ended_;
    return spmc::base::is_running(monitor);
  }

  // A monitor that is to end the job at once is asked to first: it still shows what the ranks have printed.
  void send_to_all(int signal) override {
    if (!has_monitor()) return send_to_program(signal);
    const bool ask = signal == SIGKILL && !std::exchange(asked_, true);
    if (ask) g_job->end_now.store(1);
    (void)spmc::base::send_signal(monitor_process(), ask ? SIGTERM : signal);
    if (signal == SIGKILL && !ask) send_to_program(signal);
  }

  void send_to_program(int signal) {
    if (!ended_) (void)spmc::base::send_signal(program_, signal);
  }

  void look_for_end() override {
    if (ended_ && !ending_ && has_monitor()) {
      explain("the script has ended before the MPI program that it has started; the job ends");
      finish_with(1);
      end_job();
    }
    // A script would go on behind the job.
    if (ending_ && !ended_ && monitor_process() != 0 && !has_monitor() && !std::exchange(told_script_, true)) {
      send_to_program(asked_ ? SIGKILL : SIGTERM);
    }
  }

  // The monitor's end behind that of its script is seen by looking.
  uint64_t end_pause() const override {
    return monitor_process() != 0 && monitor_process() != program_ ? kLookNs : kNoPause;
  }

  void tell(const char*) override {}

  void judge(const spmc::base::ExitReport& report) {
    if (!report.signalled) {
      finish_with(report.status);
      return;
    }
    if (!ending_) {
      const bool watched = monitor_process() == program_;
      spmc::base::complain("the program%s (process %d) died of signal %d (%s: %s)%s",
                           watched ? "'s first process, which watches over the ranks" : "", report.pid, report.status,
                           spmc::base::signal_name(report.status), strsignal(report.status),
                           watched ? "" : " before or in MPI_Init");
    }
    finish_with(128 + report.status);
  }

  const pid_t program_;
  bool ended_ = false;        // the program has
  bool asked_ = false;        // the monitor, to end the job at once
  bool told_script_ = false;  // to end
};

}  // namespace

int monitor_program(int pid, DeadlockHandler on_deadlock) { return ProgramWatch(pid, std::move(on_deadlock)).run(); }

}  // namespace detmpi
