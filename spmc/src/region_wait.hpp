// Waiting for a region's producer or consumers, as the mode says.
#pragma once

#include <base/wait.hpp>

#include "view.hpp"

namespace spmc {

// Blocks until ready(). Whoever makes it true notifies the holders of the region (blocking mode sleeps).
template <typename Ready>
void wait_here(Ready&& ready) {
  if (!nonblocking()) return base::wait_until(segment::space_slot(g_local.self).wait, ready);
  if (ready()) return;
  base::g_wait_counters.waits += 1;
  for (;;) {
    for (uint32_t i = 0; i < base::g_wait_policy.spins; ++i) {
      base::cpu_relax();
      if (ready()) return;
    }
    base::g_wait_counters.yields += 1;
    base::yield_core();
    if (ready()) return;
  }
}

// Where a page stands for this space. kGone: never published, the producer has ended or left. kLeftBehind:
// never published, the producer has extended.
enum class PageFate { kPublished, kNotYet, kGone, kLeftBehind };

// May bytes below `need` of the page be read? An extension page counts as published once the producer has
// extended (need: kPageSize).
PageFate look_at_page(const View& view, uint32_t page, uint32_t need);

// Blocks until that is decided. EPIPE or ENODATA if it never will be. Async-signal-safe.
base::Status wait_published(const View& view, uint32_t page, uint32_t need);
base::Error error_of(PageFate fate);

}  // namespace spmc
