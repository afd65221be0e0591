// The monitor: waits for the ranks, forwards signals, ends the job when a rank did not end well.
#include <space/space.h>
#include <base/check.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>
#include <space/hooks.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "call_ids.hpp"
#include "job.hpp"
#include "launch_monitor.hpp"

namespace detmpi {
namespace {

constexpr uint64_t kGraceNs = 2'000'000'000;  // for ranks that handle a forwarded SIGTERM
constexpr uint64_t kLookNs = 100'000'000;     // between two looks for a deadlock

// What a monitor does about signals and time; what it does about an end is the derived class's business.
class Watch {
 public:
  Watch(double timeout_s, DeadlockHandler on_deadlock) : on_deadlock_(on_deadlock) {
    if (timeout_s > 0) time_out_at_ = spmc::base::monotonic_ns() + static_cast<uint64_t>(timeout_s * 1e9);
  }
  virtual ~Watch() = default;

  int run() {
    while (!all_ended()) {
      const auto signal =
          spmc::base::wait_signal({SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}, time_left());
      if (signal.number == 0) time_is_up();
      else if (signal.number != SIGCHLD) forward(signal);
      reap();
      if (on_deadlock_ != nullptr && !ending_ && !all_ended()) look_for_deadlock();
    }
    return code_;
  }

 protected:
  virtual bool all_ended() const = 0;
  virtual void reap() = 0;  // judges what has ended, without blocking
  virtual void send_to_all(int signal) = 0;
  virtual void tell(const char* what) = 0;  // about a signal or the time

  void finish_with(int code) {
    if (code_ == 0) code_ = code;
  }
  void end_job() {
    ending_ = true;
    send_to_all(SIGKILL);
  }

  int code_ = 0;
  bool ending_ = false;  // no more judging: what ends now does so because of us

 private:
  uint64_t time_left() const {
    const uint64_t at = stop_at_ != 0 ? stop_at_ : time_out_at_;
    const uint64_t look = on_deadlock_ != nullptr ? kLookNs : 0;
    if (at == 0) return look;
    const uint64_t now = spmc::base::monotonic_ns();
    const uint64_t left = now < at ? at - now : 1;
    return look == 0 ? left : std::min(left, look);
  }

  void look_for_deadlock() {
    const uint64_t now = spmc::base::monotonic_ns();
    if (now - looked_at_ < kLookNs) return;
    looked_at_ = now;
    const auto found = finder_.look();
    if (!found) return;
    on_deadlock_(*found);
    finish_with(kStuckExit);
    end_job();
  }

  void time_is_up() {
    const uint64_t now = spmc::base::monotonic_ns();
    if (time_out_at_ != 0 && now >= time_out_at_ && stop_at_ == 0) {
      spmc::base::complain("the time that --timeout allows is up; the job ends");
      finish_with(kTimeoutExit);
      end_job();
      time_out_at_ = 0;
    } else if (stop_at_ != 0 && now >= stop_at_) {
      end_job();
      stop_at_ = now + kGraceNs;
    }
  }

  // The terminal has sent its signals to the ranks itself.
  void forward(const spmc::base::SignalReport& signal) {
    const bool ends = signal.number != SIGUSR1 && signal.number != SIGUSR2;
    if (ends && stop_at_ != 0) {  // asked twice
      end_job();
      return;
    }
    if (signal.from_process || !ends) send_to_all(signal.number);
    if (!ends) return;
    if (!ending_) tell(spmc::base::signal_name(signal.number));
    finish_with(128 + signal.number);
    ending_ = true;
    stop_at_ = spmc::base::monotonic_ns() + kGraceNs;
  }

  DeadlockHandler on_deadlock_;  // null: another process looks for deadlocks
  DeadlockFinder finder_;
  uint64_t looked_at_ = 0;
  uint64_t stop_at_ = 0;      // when those that were asked to end are killed; 0: not asked
  uint64_t time_out_at_ = 0;  // 0: never
};

class RankWatch final : public Watch {
 public:
  RankWatch(double timeout_s, const char* program, DeadlockHandler on_deadlock)
      : Watch(timeout_s, on_deadlock), program_(program), left_(g_job->ranks) {}

 private:
  bool all_ended() const override { return left_ == 0; }

  void reap() override {
    while (const int sid = space::next_ended_child()) {
      spmc::base::ExitReport report;
      report.pid = rank_record(sid - 1).pid.load(std::memory_order_relaxed);
      space_exit_info end;
      CHECK(space_join(sid) == 0 && space_status(sid, &end) == 0, "rank %d: %s", sid - 1, space_last_error());
      report.signalled = end.signal != 0;
      report.status = report.signalled ? end.signal : end.exit_code;
      report.core_dumped = end.core_dumped != 0;
      left_ -= 1;
      judge(sid - 1, report);
    }
    space::reap_strangers();
  }

  void send_to_all(int signal) override {
    for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) space::signal_child(child_of_rank(rank), signal);
  }

  void tell(const char* what) override { spmc::base::complain("%s: the job ends", what); }

  // How did the rank end, and does the job go on?
  void judge(int rank, const spmc::base::ExitReport& report) {
    RankRecord& record = rank_record(rank);
    const auto state = static_cast<RankState>(record.state.exchange(static_cast<uint32_t>(RankState::kGone)));
    if (ending_) return;
    const bool aborted = g_job->abort_rank.load() != 0;  // by whichever rank: others may have called it too
    if (aborted) {
      finish_with(g_job->abort_code.load() & 0xff);
      if (code_ == 0) code_ = 1;
      end_job();
    } else if (report.signalled) {
      explain_signal(rank, report, record);
      finish_with(128 + report.status);
      end_job();
    } else if (report.status != 0) {
      if (state == RankState::kNew) {  // not started, no MPI program, or it has told by itself what is wrong
        const int error = record.start_error.load(std::memory_order_relaxed);
        if (error != 0) tell_not_started(program_, error);
        finish_with(report.status);
        end_job();
      } else if (state != RankState::kFinalized) {
        spmc::base::complain("rank %d ended with exit code %d before MPI_Finalize; the job ends", rank, report.status);
        finish_with(report.status);
        end_job();
      } else {
        finish_with(report.status);
      }
    } else if (state == RankState::kRunning) {
      spmc::base::complain("rank %d ended with exit code 0 but without calling MPI_Finalize; the job ends", rank);
      finish_with(1);
      end_job();
    }
  }

  void explain_signal(int rank, const spmc::base::ExitReport& report, const RankRecord& record) {
    char where[320] = "";
    if (record.crash_signal.load(std::memory_order_acquire) == static_cast<uint32_t>(report.status)) {
      const bool touched = report.status == SIGSEGV || report.status == SIGBUS;
      const int n = touched ? std::snprintf(where, sizeof where, ", touching address 0x%lx",
                                            static_cast<unsigned long>(record.crash_address))
                            : 0;
      std::snprintf(where + n, sizeof where - static_cast<size_t>(n), ", at %s", record.crash_place);
    }
    const auto call = record.call.load(std::memory_order_relaxed);
    spmc::base::complain("rank %d (process %d) died of signal %d (%s: %s)%s%s%s%s; the job ends", rank, report.pid,
                         report.status, spmc::base::signal_name(report.status), strsignal(report.status),
                         call != 0 ? ", in " : "", call != 0 ? call_name(static_cast<CallId>(call)) : "", where,
                         report.core_dumped ? " (core dumped)" : "");
  }

  const char* program_;
  uint32_t left_;
};

// A program of fork start: it, or the monitor that it becomes, has said what there is to say, unless it was killed.
class ProgramWatch final : public Watch {
 public:
  ProgramWatch(int pid, double timeout_s, DeadlockHandler on_deadlock) : Watch(timeout_s, on_deadlock), pid_(pid) {}

 private:
  bool all_ended() const override { return pid_ == 0; }

  void reap() override {
    auto report = spmc::base::wait_child(pid_, spmc::base::WaitMode::kPoll);
    if (!report && report.error().code == EINTR) return;
    if (report && report.value().pid == 0) return;
    if (report) judge(report.value());
    pid_ = 0;
  }

  void send_to_all(int signal) override {
    if (pid_ != 0) (void)spmc::base::send_signal(pid_, signal);
  }
  void tell(const char*) override {}

  void judge(const spmc::base::ExitReport& report) {
    if (!report.signalled) {
      finish_with(report.status);
      return;
    }
    if (!ending_) {
      spmc::base::complain("the program (process %d) died of signal %d (%s: %s) before or in MPI_Init", report.pid,
                           report.status, spmc::base::signal_name(report.status), strsignal(report.status));
    }
    finish_with(128 + report.status);
  }

  int pid_;  // 0: it has ended
};

}  // namespace

sigset_t hold_monitor_signals() {
  return spmc::base::hold_signals({SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2});
}

int monitor_ranks(double timeout_s, const char* program, DeadlockHandler on_deadlock) {
  spmc::base::set_context_hook(nullptr);  // its messages are the job's, not a space's
  return RankWatch(timeout_s, program, on_deadlock).run();
}

int monitor_program(int pid, double timeout_s, DeadlockHandler on_deadlock) {
  return ProgramWatch(pid, timeout_s, on_deadlock).run();
}

void tell_not_started(const char* program, int error) {
  const spmc::base::Error why{error, "starting the program"};
  std::fprintf(stderr, "detmpirun: %s: %s\n", program, why.message().c_str());
}

}  // namespace detmpi
