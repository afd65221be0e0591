#include <base/wait.hpp>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace spmc::base {

WaitCounters g_wait_counters;
WaitPolicy g_wait_policy;
bool g_asymmetric_fences = false;

namespace {

int membarrier(int command) { return static_cast<int>(::syscall(SYS_membarrier, command, 0u, 0)); }

}  // namespace

WaitPolicy wait_policy_for(unsigned spaces) {
  // Yields cost about 1 us each; a futex round trip to an idle core 20 us or more. So yield for some ten times as long
  // as a hand-over among all spaces takes before giving the core up for good.
  if (spaces <= usable_cores()) return {.spins = 4000, .yields = 100};
  return {.spins = 1, .yields = 200};
}

void register_for_fences() {
  if (g_asymmetric_fences) membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

bool asymmetric_fences_available() {
  const int commands = membarrier(MEMBARRIER_CMD_QUERY);
  return commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0;
}

void heavy_fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (g_asymmetric_fences) membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT, expected, nullptr, nullptr, 0);
}

void futex_wake_all(std::atomic<uint32_t>& word) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void wake_sleeper(WaitLine& line) {
  if (line.sleeping.exchange(0, std::memory_order_relaxed) != 0) futex_wake_all(line.sleeping);
}

}  // namespace spmc::base
