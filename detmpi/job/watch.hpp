// What a monitor does about signals and time, and about deadlocks if it is detmpirun's process; what it does about an
// end is the derived class's business: the ranks are its children (rank_watch.cpp), or one of its children becomes
// their monitor (program_watch.cpp).
#pragma once

#include <base/signals.hpp>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deadlock.hpp"
#include "job.hpp"
#include "launch_monitor.hpp"
#include "polling_hint.hpp"

namespace detmpi {

class Watch {
 public:
  // `on_deadlock`: null if another process looks for deadlocks.
  explicit Watch(DeadlockHandler on_deadlock) : on_deadlock_(std::move(on_deadlock)) {}
  virtual ~Watch() = default;

  int run();  // to the end of the job, whose exit code it returns

 protected:
  static constexpr uint64_t kGraceNs = 2'000'000'000;  // for ranks that handle a forwarded SIGTERM, or end
  static constexpr uint64_t kLookNs = 100'000'000;     // between two looks for a deadlock
  static constexpr uint64_t kNoPause = ~uint64_t{0};

  virtual bool all_ended() const = 0;
  virtual void reap() = 0;  // judges what has ended, without blocking
  virtual void send_to_all(int signal) = 0;
  virtual void tell(const char* what) = 0;  // about a signal
  virtual void look_for_end() {}
  virtual void conclude() {}                               // all have ended
  virtual uint64_t end_pause() const { return kNoPause; }  // until it is to look for it again
  // What the ranks have printed. True: there is more, that could be written at once.
  virtual bool show_output() { return false; }
  virtual bool has_monitor() const { return false; }  // what is watched watches over the ranks itself
  virtual bool captures_output() const { return false; }

  // Why the job ends. Comes after all that the ranks have printed.
  __attribute__((format(printf, 2, 3))) void explain(const char* format, ...);
  void finish_with(int code) {
    if (code_ == 0) code_ = code;
  }
  void begin_end();
  void end_job();  // and kills what runs

  int code_ = 0;
  bool ending_ = false;  // no more judging: what ends now does so because of us

 private:
  uint64_t time_left() const;
  void look_for_deadlock();
  void time_is_up();
  void forward(const spmc::base::SignalReport& signal);

  DeadlockHandler on_deadlock_;
  DeadlockFinder finder_;
  PollingWatch polling_;
  uint64_t looked_at_ = 0;
  uint64_t stop_at_ = 0;                  // when those that were asked to end are killed; 0: not asked
  uint64_t time_out_at_ = g_job->end_ns;  // 0: never
  bool give_up_ = false;                  // output that nobody reads
  // To be told when all output has been shown.
  std::vector<std::string> messages_;
  std::optional<Deadlock> deadlock_;
};

}  // namespace detmpi
