// Waiting for a region's producer or consumers, as the mode says.
#pragma once

#include <base/children.hpp>
#include <base/wait.hpp>

#include <optional>

#include "view.hpp"

namespace spmc {

extern void (*g_long_wait_hook)();  // see set_long_wait_hook

// From before the first sleep of a wait to its end. Also in a wait that only polls: the program may have taken the
// signal away by which this space learns that a child has ended, for which it may wait.
class ChildrenWatched {
 public:
  ChildrenWatched() {
    if (g_long_wait_hook == nullptr) return;
    allowed_.emplace();
    g_long_wait_hook();
  }

 private:
  std::optional<base::ChildSignalsAllowed> allowed_;
};

// Non-blocking modes: one round of polling.
template <typename Ready>
bool poll_and_yield(Ready&& ready) {
  for (uint32_t i = 0; i < base::g_wait_policy.spins; ++i) {
    base::cpu_relax();
    if (ready()) return true;
  }
  base::g_wait_counters.yields += 1;
  base::yield_core();
  return ready();
}

// Blocks until ready(). Whoever makes it true notifies the holders of the region (blocking mode sleeps).
template <typename Ready>
void wait_here(Ready&& ready) {
  if (ready()) return;
  base::g_wait_counters.waits += 1;
  if (nonblocking()) {
    if (poll_and_yield(ready)) return;
    const ChildrenWatched watched;
    while (!poll_and_yield(ready)) {
    }
    return;
  }
  if (base::spin_and_yield(ready)) return;
  const ChildrenWatched watched;
  base::WaitLine& mine = segment::space_slot(g_local.self).wait;
  while (!base::sleep_unless(mine, ready) && !base::yield_until(ready)) {
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
