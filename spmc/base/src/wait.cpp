#include <base/wait.hpp>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <utility>

#include <base/cores.hpp>

namespace spmc::base {

WaitCounters g_wait_counters;
WaitPolicy g_wait_policy;
uint32_t g_spin_budget = 1;
uint64_t g_no_yields_before = 0;
int g_home_core = -1;
Fences g_fences = Fences::kFull;

namespace {

// Whether this thread has lost its core to another one since it was asked last; true the first time. A yield also takes
// long that an interrupt delays, as the fences of others do on a virtual machine: to sleep then brings more of these.
bool has_lost_core() {
  static long seen = -1;
  rusage usage;
  if (::getrusage(RUSAGE_THREAD, &usage) != 0) return true;
  return std::exchange(seen, usage.ru_nivcsw) != usage.ru_nivcsw;
}

int membarrier(int command) { return static_cast<int>(::syscall(SYS_membarrier, command, 0u, 0)); }

}  // namespace

WaitPolicy wait_policy_for(unsigned spaces) {
  // A yield costs 0.3 us when nobody else wants the core and 1 to 2 us when somebody does; waking a sleeper on an idle
  // core 20 us and more. So a space yields for long before it gives the core up: about a millisecond.
  if (spaces <= usable_cores()) return {.spins = 1024, .yields = 3000, .long_yield_ns = 50'000};
  constexpr unsigned kOthers = 2;  // that look after the job, and of the system
  // Who yields keeps its core from being idle. Where spaces are shared out unequally, a core whose spaces all wait
  // should be: it then takes one over that waits for another core (docs/results/npb.md).
  const bool equally = spaces % usable_cores() == 0;
  return {.spins = 1, .yields = equally ? 200u : 40, .long_yield_ns = 1'000'000, .own_threads = spaces + kOthers};
}

void set_wait_policy(WaitPolicy policy) {
  g_wait_policy = policy;
  g_spin_budget = policy.spins;
}

void reconsider_spinning() {
  if (!has_lost_core()) g_spin_budget = g_wait_policy.spins;
}

// The longer, the sooner it happens again.
bool avoid_yields(uint64_t now) {
  constexpr uint64_t kLeastPauseNs = 2'000'000;
  constexpr uint64_t kMostPauseNs = 128'000'000;
  constexpr uint64_t kLookAgainNs = 50'000'000;
  static uint64_t pause = kLeastPauseNs;
  static uint64_t next_look = 0;
  if (g_wait_policy.own_threads == 0) {
    if (!has_lost_core()) return false;  // else whoever it was, is a stranger
  } else {
    if (now < next_look) return false;
    if (runnable_threads() <= g_wait_policy.own_threads) {
      next_look = now + kLookAgainNs;
      return false;
    }
  }
  const bool soon = now < g_no_yields_before + pause;
  pause = soon ? std::min(2 * pause, kMostPauseNs) : kLeastPauseNs;
  g_no_yields_before = now + pause;
  return true;
}

// Whoever finds itself away again and again is kept away by other load, and tries less often.
void go_home() {
  constexpr uint64_t kLeastPauseNs = 5'000'000;
  constexpr uint64_t kMostPauseNs = 80'000'000;
  static uint64_t pause = kLeastPauseNs;
  static uint64_t next = 0;
  const uint64_t now = monotonic_ns();
  if (now < next) return;
  const auto home = static_cast<unsigned>(g_home_core);
  if (current_core() == nth_usable_core(home)) {
    pause = kLeastPauseNs;
  } else {
    move_to_core(home);
    pause = std::min(2 * pause, kMostPauseNs);
  }
  next = now + pause;
}

Fences fences_for(unsigned spaces) {
  const int commands = membarrier(MEMBARRIER_CMD_QUERY);
  if (commands <= 0 || (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0) return Fences::kFull;
  return spaces <= usable_cores() ? Fences::kAsymmetric : Fences::kAsymmetricLater;
}

void register_for_fences() {
  if (g_fences != Fences::kFull) membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

void heavy_fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (g_fences != Fences::kFull) membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT, expected, nullptr, nullptr, 0);
}

bool futex_wait_for(std::atomic<uint32_t>& word, uint32_t expected, uint64_t ns) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const timespec time{static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  return ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT, expected, &time, nullptr, 0) == 0 ||
         errno != ETIMEDOUT;
}

void futex_wake_all(std::atomic<uint32_t>& word) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void wake_sleeper(WaitLine& line) {
  if (line.sleeping.exchange(0, std::memory_order_relaxed) != 0) futex_wake_all(line.sleeping);
}

}  // namespace spmc::base
