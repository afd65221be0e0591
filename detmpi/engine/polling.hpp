// Programs that poll in loops.
#pragma once

#include <cstdint>

namespace detmpi {

struct Wait;

// When the poll before ended, if the time until the next one is to be measured; else 0.
inline uint64_t g_poll_ended = 0;
[[gnu::cold]] void measure_pause();
// At the start of a test or probe.
inline void poll_begins() {
  if (g_poll_ended != 0) [[unlikely]]
    measure_pause();
}

// After a test or probe, `wait`, that found nothing. The clock moves on, the further the more of them come in a row: so
// a rank that polls does not need thousands of calls to get to the time of what it waits for. Lets others run.
void failed_poll(const Wait& wait);

}  // namespace detmpi
