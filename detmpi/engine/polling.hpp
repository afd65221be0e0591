// Programs that poll in loops.
#pragma once

#include <cstdint>

#include "engine.hpp"

namespace detmpi {

// When the poll before ended, if the time until the next one is to be measured; else 0.
inline uint64_t g_poll_ended = 0;
[[gnu::cold]] void measure_pause();
// At the start of a test or probe: for how long it waits (chan/match/poll.hpp).
uint64_t reach_of_poll(const Wait& wait);
inline void begin_poll(Wait& wait) {
  if (g_poll_ended != 0) [[unlikely]]
    measure_pause();
  wait.reach = reach_of_poll(wait);
}

// After a test or probe that found nothing, up to its end. Lets others run.
void failed_poll(const Wait& wait);

}  // namespace detmpi
