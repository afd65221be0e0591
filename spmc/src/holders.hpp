// The region table and the holders of a region. Any space may run any of this at the same time; nothing here
// blocks.
#pragma once

#include <base/result.hpp>
#include <spmc/region_layout.hpp>

namespace spmc {

// A free region, claimed for this space. ENOMEM when the table is full.
base::Result<RegionId> claim_region();
uint32_t regions_in_table();  // no region with this number or a larger one has been used

Holder& holder_at(const RegionSlot& slot, uint32_t index);
Holder* find_holder(const RegionSlot& slot, SpaceId space);

// Calls fn(Holder&, space word) for every valid record.
template <typename Fn>
void for_each_holder(const RegionSlot& slot, Fn&& fn) {
  const uint32_t limit = slot.holder_limit.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < limit; ++i) {
    Holder& holder = holder_at(slot, i);
    const uint32_t space = holder.space.load(std::memory_order_acquire);
    if (space != 0 && (space & kHolderClaimed) == 0) fn(holder, space);
  }
}

// Adds a record. The caller holds the region at `generation` or an older one, and stays there until this
// returns. ENOMEM.
base::Result<Holder*> add_holder(RegionId region, SpaceId space, uint32_t first_vpage, Generation generation,
                                 EPageIndex anchor);

// The oldest generation at which a living holder stands; the newest one when there is none.
Generation oldest_held(const RegionSlot& slot);

// Wakes every holder but this space. Call after the release store that publishes. Async-signal-safe.
void notify_holders(const RegionSlot& slot);
void notify_space(SpaceId id);

}  // namespace spmc
