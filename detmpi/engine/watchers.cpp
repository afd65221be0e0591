#include "watchers.hpp"

#include <atomic>

#include "job_view.hpp"

namespace detmpi {

// A watcher sets its bit first and lowers wake_at then. Here it is the other way round, and the bits stay: so either
// wake_at still tells of the watcher, or its bit is seen.
void wake_watchers(int rank) {
  spmc::base::light_fence();
  space::ClockLine& line = clock_line(rank);
  if (line.wake_at.load(std::memory_order_relaxed) == 0) return;
  line.wake_at.exchange(0, std::memory_order_acq_rel);
  for (size_t word = 0; word < g_job->inbox_words; ++word) {
    for (uint64_t bits = watch_word(rank, word).load(std::memory_order_acquire); bits != 0; bits &= bits - 1) {
      wake_rank(static_cast<int>(word * 64) + __builtin_ctzll(bits));
    }
  }
}

}  // namespace detmpi
