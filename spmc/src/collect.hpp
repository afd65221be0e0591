// Freeing what nobody can reach any more. At most one space at a time frees pages of a region: its producer,
// the reaper of a dead producer, or the space that made it kRegionDying.
#pragma once

#include <spmc/region_layout.hpp>

namespace spmc {

// Producer: frees the generations that every holder has left behind.
void collect_dead_generations(RegionSlot& slot);

// Takes `holder` of `space` out of the region; destroys it if that was the last. `space` is this space or a
// dead one.
void leave_region(RegionSlot& slot, Holder& holder, SpaceId space);

// Destroys the region if it has no holder; `life` is the (live) state word it had when it may have lost its
// last one.
void destroy_if_deserted(RegionSlot& slot, uint32_t life);

// Frees all of a region that is kRegionDying by this space.
void destroy_region(RegionSlot& slot);

// Is this frame, held for the region, in one of its anchor words or lists?
bool is_referenced(const RegionSlot& slot, EPageIndex frame);

RegionId id_of(const RegionSlot& slot);

}  // namespace spmc
