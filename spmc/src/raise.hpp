// Words that only grow, raised by any process without a lock.
#pragma once

#include <atomic>
#include <cstdint>

namespace spmc {

// The word is at least `value` from now on; nobody lowers it.
inline void raise_to(std::atomic<uint32_t>& word, uint32_t value) {
  uint32_t seen = word.load(std::memory_order_relaxed);
  while (seen < value &&
         !word.compare_exchange_weak(seen, value, std::memory_order_acq_rel, std::memory_order_relaxed)) {
  }
}

}  // namespace spmc
