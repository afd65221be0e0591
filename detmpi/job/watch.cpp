#include "watch.hpp"

#include <base/check.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace detmpi {
namespace {

constexpr uint64_t kOutputPauseNs = 50'000'000;  // between two looks at what the ranks have printed

}  // namespace

int Watch::run() {
  bool more_output = false;  // that could be written at once
  while (!all_ended() || more_output) {
    const auto signal = spmc::base::wait_signal(kMonitorSignals, more_output ? 1 : time_left());
    if (signal.number == 0) time_is_up();
    else if (signal.number != SIGCHLD) forward(signal);
    reap();
    look_for_end();
    // Ranks that have been killed look as if they waited for ever.
    if (on_deadlock_ != nullptr && !all_ended() && g_job->ending.load() == 0) look_for_deadlock();
    more_output = !give_up_ && show_output();
  }
  conclude();
  if (!deadlock_ && on_deadlock_ != nullptr) deadlock_ = told_mismatch();
  if (deadlock_) on_deadlock_(*deadlock_);
  for (const auto& message : messages_) spmc::base::complain("%s", message.c_str());
  return code_;
}

void Watch::explain(const char* format, ...) {
  char text[900];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  messages_.emplace_back(text);
}

void Watch::begin_end() {
  ending_ = true;
  g_job->ending.store(1);
}

void Watch::end_job() {
  begin_end();
  send_to_all(SIGKILL);
}

uint64_t Watch::time_left() const {
  const uint64_t at = stop_at_ != 0 ? stop_at_ : time_out_at_;
  uint64_t pause = captures_output() ? kOutputPauseNs : on_deadlock_ != nullptr ? kLookNs : kNoPause;
  pause = std::min(pause, end_pause());
  if (at != 0) {
    const uint64_t now = spmc::base::monotonic_ns();
    pause = std::min(pause, now < at ? at - now : 1);
  }
  return pause == kNoPause ? 0 : pause;
}

void Watch::look_for_deadlock() {
  const uint64_t now = spmc::base::monotonic_ns();
  if (now - looked_at_ < kLookNs) return;
  looked_at_ = now;
  const auto found = finder_.look();
  if (!found) {
    if (const std::string hint = polling_.look(); !hint.empty()) std::fprintf(stderr, "detmpirun: %s", hint.c_str());
    return;
  }
  deadlock_ = *found;
  g_job->even_end.store(found->even ? 1 : 0);
  g_job->output_end.store(found->cut);
  finish_with(kStuckExit);
  end_job();
}

void Watch::time_is_up() {
  const uint64_t now = spmc::base::monotonic_ns();
  if (time_out_at_ != 0 && now >= time_out_at_ && stop_at_ == 0) {
    // A monitor has the same time-out. The script that has started it goes on behind it.
    const bool later = has_monitor();
    time_out_at_ = later ? now + kGraceNs : 0;
    if (later) return;
    explain("the time that --timeout allows is up; the job ends");
    finish_with(kTimeoutExit);
    end_job();
  } else if (stop_at_ != 0 && now >= stop_at_) {
    give_up_ = all_ended();  // whoever is to read what is left does not
    end_job();
    stop_at_ = now + kGraceNs;
  }
}

// The terminal has sent its signals to the ranks itself.
void Watch::forward(const spmc::base::SignalReport& signal) {
  const bool ends = signal.number != SIGUSR1 && signal.number != SIGUSR2;
  if (ends && (stop_at_ != 0 || g_job->end_now.load() != 0)) {  // asked twice, or by detmpirun
    give_up_ = all_ended();
    end_job();
    return;
  }
  if (signal.from_process || !ends) send_to_all(signal.number);
  if (!ends) return;
  if (!ending_) tell(spmc::base::signal_name(signal.number));
  finish_with(128 + signal.number);
  begin_end();
  stop_at_ = spmc::base::monotonic_ns() + kGraceNs;
}

sigset_t hold_monitor_signals() { return spmc::base::hold_signals(kMonitorSignals); }

}  // namespace detmpi
