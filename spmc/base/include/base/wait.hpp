// How a space waits for another: one policy for the whole project.
//
//   spin      while the machine has a core for every space: the answer is 50 to 200 ns away
//   yield     with more spaces than cores, or after spinning in vain: the one we wait for needs this core
//   sleep     futex on the sleeper's own WaitLine; at once after spinning where strangers want the cores (yields_pay)
//
// Spinning adapts: a wait that spins in vain halves the budget of the next one, one that succeeds doubles it. So two
// spaces that the kernel has put on one core soon hand over by yielding, at 1 to 2 us instead of a whole spin, and a
// space that found itself away from its home core goes back there (home_core). Where yields end waits and the core went
// to nobody else meanwhile, the budget is full again: to spin takes no longer then, and notices earlier.
//
// Waking. The sleeper stores sleeping = 1, issues a heavy fence, looks at its condition once more, and only then
// sleeps. A waker publishes what the sleeper waits for, issues a light fence, and looks at `sleeping`. Of the two
// fences the light one is a compiler barrier where the kernel offers membarrier(GLOBAL_EXPEDITED), because the
// sleeper's heavy fence then makes every running space execute a full barrier: either the waker sees sleeping = 1, or
// the sleeper sees what was published. Where it is not offered, both are full fences.
//
// A membarrier interrupts the other cores (14 us on a virtual machine), and spaces that share cores sleep often. So
// there the sleeper sleeps for a millisecond first, and then for a tenth of a second, without it, and looks again after
// each; the heavy fence comes before the sleep that nothing ends but a waker. Who misses a waker, whose store was still
// on its way from its core at the last look, therefore is late once, by a millisecond.
#pragma once

#include <atomic>
#include <cstdint>

#include <base/sys.hpp>

namespace spmc::base {

// One cache line of shared memory per space.
struct alignas(64) WaitLine {
  // 1: its space sleeps or is about to. Written by its space (1, 0) and by wakers (0). A stale 0 read by a waker is
  // safe for the reason above; a stale 1 costs one needless wake-up.
  std::atomic<uint32_t> sleeping{0};
  uint32_t unused[15];
};
static_assert(sizeof(WaitLine) == 64);

struct WaitPolicy {
  uint32_t spins = 0;   // polls with a pause in between, before the first yield
  uint32_t yields = 0;  // polls with a yield in between, before sleeping
  // A yield that takes longer may have given the core to strangers; and has, if more threads than so many are runnable.
  uint64_t long_yield_ns = ~uint64_t{0};
  unsigned own_threads = 0;
};

// Chooses spins and yields for `spaces` busy spaces on the usable cores.
WaitPolicy wait_policy_for(unsigned spaces);
void set_wait_policy(WaitPolicy policy);  // of this space

// Counts since the start of this space, for benchmarks and reports.
struct WaitCounters {
  uint64_t waits = 0;  // waits that did not succeed at the first look
  uint64_t yields = 0;
  uint64_t given_up = 0;  // waits that sleep without all their yields; counted before their last look
  uint64_t sleeps = 0;
  uint64_t sleep_ns = 0;  // time in suspension
};
extern WaitCounters g_wait_counters;
extern WaitPolicy g_wait_policy;  // this space's; set_wait_policy
extern uint32_t g_spin_budget;    // spins of the next wait, at most g_wait_policy.spins

// The core (nth of the usable ones) to which this space returns when it waits elsewhere; for use where every core has
// equally many of them. -1: none.
extern int g_home_core;
void go_home();  // at most every few milliseconds; otherwise does nothing

// The same for all spaces of a job.
enum class Fences : uint32_t {
  kFull,             // both are
  kAsymmetric,       // the sleeper's is a membarrier
  kAsymmetricLater,  // not before its first sleeps, which end by themselves
};
Fences fences_for(unsigned spaces);  // so many busy ones, on this kernel
// Must run once in every space (also after fork and exec) before it sleeps or wakes.
void register_for_fences();
extern Fences g_fences;
void heavy_fence();
inline void light_fence() {
  if (g_fences != Fences::kFull) [[likely]]
    std::atomic_signal_fence(std::memory_order_seq_cst);
  else std::atomic_thread_fence(std::memory_order_seq_cst);
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected);  // may return early
// The same for `ns` at most. False: nobody has ended it.
bool futex_wait_for(std::atomic<uint32_t>& word, uint32_t expected, uint64_t ns);
void futex_wake_all(std::atomic<uint32_t>& word);
void wake_sleeper(WaitLine& line);

// Waker's side: call after the release store that publishes.
inline void notify(WaitLine& line) {
  light_fence();
  if (line.sleeping.load(std::memory_order_relaxed)) [[unlikely]]
    wake_sleeper(line);
}

inline constexpr uint64_t kFirstSleepsNs[] = {1'000'000, 100'000'000};

// One sleep, until a waker ends it, or `ready`, after one of the first sleeps: then true.
template <typename Ready>
bool sleep_until_ready(WaitLine& mine, Ready&& ready) {
  if (g_fences == Fences::kAsymmetricLater) {
    for (const uint64_t ns : kFirstSleepsNs) {
      if (futex_wait_for(mine.sleeping, 1, ns)) return false;
      if (ready()) return true;
    }
    heavy_fence();
    if (ready()) return true;
  }
  futex_wait(mine.sleeping, 1);
  return false;
}

// Sleeper's side: sleeps at most once; `ready` has just been false. Returns after a wake-up, spurious or not.
template <typename Ready>
bool sleep_unless(WaitLine& mine, Ready&& ready) {
  mine.sleeping.store(1, std::memory_order_relaxed);
  if (g_fences == Fences::kAsymmetricLater) std::atomic_thread_fence(std::memory_order_seq_cst);
  else heavy_fence();
  if (ready()) {
    mine.sleeping.store(0, std::memory_order_relaxed);
    return true;
  }
  const uint64_t begin = monotonic_ns();
  const bool is_ready = sleep_until_ready(mine, ready);
  mine.sleeping.store(0, std::memory_order_relaxed);
  g_wait_counters.sleeps += 1;
  g_wait_counters.sleep_ns += monotonic_ns() - begin;
  return is_ready || ready();
}

inline constexpr uint32_t kLeastSpins = 20;
inline constexpr uint32_t kReconsiderEvery = 64;  // waits that a yield has ended
inline uint32_t g_ended_by_yield = 0;             // of them
void reconsider_spinning();
inline void note_end_by_yield() {
  if (g_spin_budget < g_wait_policy.spins && ++g_ended_by_yield % kReconsiderEvery == 0) reconsider_spinning();
}

// Where strangers want the cores too, a yield takes as long as they use them: milliseconds. Then waits sleep in place
// of yielding for a while, since who is woken comes before those who have had the core for long.
extern uint64_t g_no_yields_before;  // of the monotonic clock
inline bool yields_pay() { return g_no_yields_before == 0 || monotonic_ns() >= g_no_yields_before; }
bool avoid_yields(uint64_t now);  // after a long one; false: it was no stranger
// Yields. True if yields are to be avoided from now on.
inline bool yield_and_watch(uint64_t& before) {
  g_wait_counters.yields += 1;
  yield_core();
  const uint64_t now = monotonic_ns();
  const bool was_long = now - before > g_wait_policy.long_yield_ns;
  before = now;
  return was_long && avoid_yields(now);
}

struct Patient {
  bool operator()() const { return false; }
};

// As many yields as the policy allows between two sleeps; fewer where `impatient` says, after kFewYields of them, that
// this will take longer.
inline constexpr uint32_t kFewYields = 10;
template <typename Ready, typename Impatient = Patient>
bool yield_until(Ready&& ready, Impatient&& impatient = {}) {
  if (!yields_pay()) {
    g_wait_counters.given_up += 1;
    return ready();
  }
  uint64_t before = monotonic_ns();  // of the yield, or of the look before it, which is short
  for (uint32_t i = 0; i < g_wait_policy.yields && !(i >= kFewYields && impatient()); ++i) {
    const bool avoid = yield_and_watch(before);
    g_wait_counters.given_up += avoid;
    if (ready()) {
      note_end_by_yield();
      return true;
    }
    if (avoid) return false;
  }
  return false;
}

// A wait of at most `spins`, and no more than the policy allows now. False: it was in vain.
template <typename Ready>
bool spin_shortly(uint32_t spins, Ready&& ready) {
  if (spins > g_spin_budget) spins = g_spin_budget;
  for (uint32_t i = 0; i < spins; ++i) {
    cpu_relax();
    if (!ready()) continue;
    if (g_spin_budget < g_wait_policy.spins) g_spin_budget *= 2;
    return true;
  }
  return false;
}

// The part of a wait before sleeping, after the first look failed. False: it was in vain.
template <typename Ready, typename Impatient = Patient>
bool spin_and_yield(Ready&& ready, Impatient&& impatient = {}) {
  if (spin_shortly(g_spin_budget, ready)) return true;
  if (g_spin_budget > kLeastSpins) g_spin_budget /= 2;
  if (g_home_core >= 0) go_home();
  return yield_until(ready, impatient);
}

// The slow part of wait_until.
template <typename Ready>
void wait_slowly(WaitLine& mine, Ready&& ready) {
  g_wait_counters.waits += 1;
  if (spin_and_yield(ready)) return;
  while (!sleep_unless(mine, ready) && !yield_until(ready)) {
  }
}

// Blocks until ready() is true. `ready` may do work (progress) each time. Whoever makes it true must notify(mine).
template <typename Ready>
inline void wait_until(WaitLine& mine, Ready&& ready) {
  if (ready()) return;
  wait_slowly(mine, ready);
}

}  // namespace spmc::base
