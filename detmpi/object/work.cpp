#include "work.hpp"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <ctime>

#include "call.hpp"
#include "work_unit.hpp"

__thread int64_t detmpi_work_left = 0;

namespace detmpi {

__thread Work g_work;

namespace {

// The clock is published whenever so much was done: often enough for a receiver that waits, and rarely enough to cost
// nothing.
constexpr int64_t kGrantedUnits = 16 * kUnitsPerTick;

}  // namespace

void work_begin(bool alone) {
  g_work = {kGrantedUnits, 0, alone};
  detmpi_work_left = kGrantedUnits;
  // A child has the rank's memory, and must not move its clock.
  if (alone) ::pthread_atfork(nullptr, nullptr, [] { g_work.publishes = false; });
}

void work_advance_clock() {
  // No handler calls MPI: it was left by a jump.
  if (detmpi_work_left > g_work.granted && g_work.in_handler) {
    g_work.in_handler = false;
    detmpi_work_left -= kWorkPaused;
  }
  const int64_t done = g_work.granted - detmpi_work_left;
  if (done < 0) return;  // paused
  const uint64_t units = g_work.remainder + static_cast<uint64_t>(done);
  g_clock += units / kUnitsPerTick;
  g_extra_ticks += units / kUnitsPerTick;
  g_work.remainder = units % kUnitsPerTick;
  g_work.granted = detmpi_work_left = kGrantedUnits;
  output_tick();
}

}  // namespace detmpi

using namespace detmpi;

// The next action comes after what is published, as it does in a call.
void detmpi_work() {
  if (g_work.publishes && g_call.id == CallId::kNone && g_job_state == JobState::kRunning) {
    const InLibrary in_library;
    work_advance_clock();
    publish_running_clock();
    return;
  }
  // Kept for the next call.
  g_work.granted += kGrantedUnits - detmpi_work_left;
  detmpi_work_left = kGrantedUnits;
}

// --- sleeping: called before, with the same arguments, and counts the time; so nobody waits for a rank that sleeps ---

namespace {

constexpr int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr int64_t kLongest = 1'000'000 * kMicrosecondsPerSecond;  // the clock has room for more

void count_sleep(int64_t microseconds) {
  if (microseconds <= 0) return;
  detmpi_work_left -= (microseconds < kLongest ? microseconds : kLongest) * kUnitsPerTick;
  if (detmpi_work_left < 0) detmpi_work();
}

void count_sleep(const timespec* time) {
  if (time == nullptr || time->tv_sec < 0 || time->tv_sec >= kLongest / kMicrosecondsPerSecond) return;
  count_sleep(time->tv_sec * kMicrosecondsPerSecond + time->tv_nsec / 1000);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

unsigned detmpi_work_sleep(unsigned seconds) {
  count_sleep(static_cast<int64_t>(seconds) * kMicrosecondsPerSecond);
  return 0;
}

int detmpi_work_usleep(unsigned microseconds) {
  count_sleep(static_cast<int64_t>(microseconds));
  return 0;
}

int detmpi_work_nanosleep(const timespec* time, timespec*) {
  count_sleep(time);
  return 0;
}

int detmpi_work_thrd_sleep(const timespec* time, timespec*) {
  count_sleep(time);
  return 0;
}

// How long it is until a given time depends on when one asks.
int detmpi_work_clock_nanosleep(clockid_t, int flags, const timespec* time, timespec*) {
  if ((flags & TIMER_ABSTIME) == 0) count_sleep(time);
  return 0;
}
}
#pragma GCC visibility pop

// --- signal handlers: installed behind one that pauses counting ---

namespace {

struct Handler {
  void (*plain)(int) = nullptr;
  void (*with_info)(int, siginfo_t*, void*) = nullptr;
};
Handler g_handlers[NSIG];  // the program's

// Whenever more is left than was granted, the mark is there: another signal may come, and its handler jump, anywhere.
void run_handler(int number, siginfo_t* info, void* context) {
  const int64_t left = detmpi_work_left;
  const bool in_handler = g_work.in_handler;
  if (left <= g_work.granted) {  // not paused already
    g_work.in_handler = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    detmpi_work_left = left + kWorkPaused;
  }
  const Handler handler = g_handlers[number];
  if (handler.with_info != nullptr) handler.with_info(number, info, context);
  else if (handler.plain != nullptr) handler.plain(number);
  detmpi_work_left = left;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  g_work.in_handler = in_handler;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int detmpi_work_sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  if (number <= 0 || number >= NSIG) return ::sigaction(number, action, old);
  const Handler before = g_handlers[number];
  struct sigaction ours;
  if (action != nullptr) {
    ours = *action;
    const bool with_info = (ours.sa_flags & SA_SIGINFO) != 0;
    const bool handled = ours.sa_handler != SIG_DFL && ours.sa_handler != SIG_IGN;
    if (handled) {
      if (with_info) g_handlers[number] = {nullptr, ours.sa_sigaction};
      else g_handlers[number] = {ours.sa_handler, nullptr};
      ours.sa_sigaction = run_handler;
      ours.sa_flags |= SA_SIGINFO;
    }
  }
  struct sigaction seen;
  if (::sigaction(number, action != nullptr ? &ours : nullptr, &seen) != 0) {
    g_handlers[number] = before;
    return -1;
  }
  if (old == nullptr) return 0;
  *old = seen;
  if ((seen.sa_flags & SA_SIGINFO) == 0 || seen.sa_sigaction != run_handler) return 0;
  if (before.with_info != nullptr) {
    old->sa_sigaction = before.with_info;
  } else {
    old->sa_flags &= ~SA_SIGINFO;
    old->sa_handler = before.plain;
  }
  return 0;
}

using SignalHandler = void (*)(int);
static SignalHandler install(int number, SignalHandler handler, int flags) {
  struct sigaction action = {}, old;
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  return detmpi_work_sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

SignalHandler detmpi_work_signal(int number, SignalHandler handler) { return install(number, handler, SA_RESTART); }

// System V's: for one signal, which the handler does not block.
SignalHandler detmpi_work_sysv_signal(int number, SignalHandler handler) {
  return install(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}
}
#pragma GCC visibility pop
