// Ranks that sleep until another one's clock has come to a time (horizon.hpp sets them watching).
#pragma once

namespace detmpi {

// Wakes the ranks that watch this one. The change must have been published.
void wake_watchers(int rank);

}  // namespace detmpi
