#include "failure.hpp"

#include <base/check.hpp>
#include <base/sys.hpp>

#include <csignal>
#include <cstdlib>

#include "../engine/engine.hpp"
#include "../engine/events.hpp"
#include "../heap/library_memory.hpp"
#include "../object/call.hpp"
#include "end_names.h"
#include "rank_output.hpp"

namespace detmpi {
namespace {

constexpr uint64_t kLookNs = 1'000'000;
constexpr int kUnknownStatus = 0;

// The thread of the rank. Another one that crashes leaves it at work, so that there is no place in logical time.
thread_local bool t_is_rank = false;

bool somebody_waits() {
  return g_job_state == JobState::kRunning && g_job->first_space != 0 && g_job->first_come == 0 && g_job->grace_ns != 0;
}

// Not in a process that the rank has forked.
bool is_rank_at_work() { return t_is_rank && g_job_state == JobState::kRunning && is_process_of_rank(); }

// A function of the program's may have been called by a call; calls may be made in it, so the engine is ready for them.
Stay as_found() { return detmpi_inside_library ? Stay::kStill : Stay::kAtWork; }

void leave(int status, void*) {
  if (!is_rank_at_work()) return;
  show_printed();
  event_log_end(with_code(LogEnd::kLeft, status & 0xff));
  stay_failed(as_found());
  rank_output_end();
}

void leave_abruptly(LogEnd how) {
  if (!is_rank_at_work()) return;
  show_printed_by_crashed();
  event_log_end(how);
  stay_failed(as_found());
}

// SIGKILL, which is to end it at once, does not count.
bool ends_by_default(int signal) {
  switch (signal) {
    case SIGKILL:
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU: return false;
    default: return true;
  }
}

// Sent to the calling thread. False also of what is no signal.
bool ends_process(int signal) {
  struct sigaction action;
  if (!ends_by_default(signal) || ::sigaction(signal, nullptr, &action) != 0) return false;
  sigset_t held;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &held);
  return action.sa_handler == SIG_DFL && ::sigismember(&held, signal) == 0;
}

}  // namespace

bool is_process_of_rank() {
  return rank_record(g_engine.rank()).pid.load(std::memory_order_relaxed) == spmc::base::process_id();
}

void stay_failed(Stay how) {
  if (!somebody_waits()) return;
  RankRecord& record = rank_record(g_engine.rank());
  if (record.failed_at.load(std::memory_order_relaxed) != 0) return;
  record.failed_at.store(g_clock + 1, std::memory_order_release);
  (void)spmc::base::send_signal(monitor_process(), SIGCHLD);  // it looks around
  const auto may_end = [&record] { return record.may_end.load(std::memory_order_acquire) != 0; };
  if (how == Stay::kStill) {
    while (!may_end()) spmc::base::sleep_ns(kLookNs);
    return;
  }
  const InLibrary in_library;
  // As far as the job comes: what it owes until then is given, and nobody waits for what it might do before.
  const uint64_t ticks = g_job->lookahead;
  g_clock += ticks - 1 - g_clock % ticks;
  g_engine.block({Wait::Kind::kTest}, Engine::kAnySource, may_end);
}

void stay_at_exit() {
  t_is_rank = true;
  const InProgram in_program;  // the list of what is done at exit is the C library's, and may get longer
  ::on_exit(leave, nullptr);
  (void)spmc::base::send_signal(spmc::base::process_id(), 0);  // end_names.c
  std::at_quick_exit([] { leave_abruptly(with_code(LogEnd::kLeft, kUnknownStatus)); });
}

void stay_crashed() {
  if (is_rank_at_work()) stay_failed(as_found());
}

}  // namespace detmpi

extern "C" void detmpi_leave_abruptly(int status) {
  detmpi::leave_abruptly(detmpi::with_code(detmpi::LogEnd::kLeft, status & 0xff));
  spmc::base::die(status);
}

extern "C" void detmpi_before_own_signal(int signal) {
  using namespace detmpi;
  if (ends_process(signal)) leave_abruptly(with_code(LogEnd::kCrashed, signal));
}
