// After the death of a space: everything that it left half done is found in shared memory and finished or
// undone.
//
// A frame that the dead space had taken, and not entered anywhere, lies in one of its chunks, held for a
// region that it produced (or destroyed, or was adding a holder to). While its record is in the region no
// other space frees anything there, so a frame that nothing names is an orphan.
#include <spmc/hooks.hpp>
#include <spmc/self.hpp>

#include "anchors.hpp"
#include "collect.hpp"
#include "holders.hpp"
#include "local.hpp"

#include <algorithm>

namespace spmc {
namespace {

constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

uint32_t state_word(RegionState state, SpaceId by) { return region_word(state, by.value + 1); }

// Is `dead` the one that allocated and freed pages of the region?
bool was_busy_in(const RegionSlot& slot, SpaceId dead) {
  const uint32_t state = slot.state.load(acquire);
  return slot.producer.load(acquire) == dead.value + 1 || state == state_word(kRegionClaimed, dead) ||
         state == state_word(kRegionDying, dead);
}

bool is_held_for(EPageIndex frame, const RegionSlot& slot) {
  const PageInfo& info = segment::pageinfo(frame);
  return info.state.load(acquire) == kFrameHeld && info.region == id_of(slot).value + 1;
}

void free_orphan(const RegionSlot& slot, EPageIndex frame) {
  if (is_held_for(frame, slot) && !is_referenced(slot, frame)) FramePool::free(frame);
}

void free_orphans_of(SpaceId dead) {
  for (uint32_t chunk = 1; chunk < segment::chunks_seen(); ++chunk) {
    if (segment::chunk_owner(chunk).load(std::memory_order_relaxed) != dead.value + 1) continue;
    for (uint32_t i = 0; i < kFramesPerChunk; ++i) {
      const EPageIndex frame{chunk * kFramesPerChunk + i};
      const PageInfo& info = segment::pageinfo(frame);
      if (info.state.load(acquire) != kFrameHeld || info.region == 0) continue;
      const RegionSlot& slot = region_slot({info.region - 1});
      const bool adding_holder = info.page == kTagHolders && find_holder(slot, dead) != nullptr;
      if (adding_holder || was_busy_in(slot, dead)) free_orphan(slot, frame);
    }
  }
}

void finish_freeing(RegionSlot& slot) {
  const EPageIndex noted{slot.freeing.load(acquire)};
  if (!noted.none()) free_orphan(slot, noted);
  slot.freeing.store(0, release);
  const EPageIndex oldest{slot.oldest_anchor.load(acquire)};
  if (!oldest.none()) slot.oldest_generation.store(anchor_page(oldest).generation, release);
}

// Records that the dead space had claimed and not filled in.
void drop_claims(RegionSlot& slot, SpaceId dead) {
  const uint32_t limit = slot.holder_limit.load(acquire);
  for (uint32_t i = 0; i < limit; ++i) {
    uint32_t expected = kHolderClaimed | (dead.value + 1);
    holder_at(slot, i).space.compare_exchange_strong(expected, 0, std::memory_order_acq_rel);
  }
}

// Of a region that was never finished, or that nobody holds any more: its next user finds none of them.
void clear_records(RegionSlot& slot) {
  const uint32_t limit = slot.holder_limit.load(acquire);
  for (uint32_t i = 0; i < limit; ++i) holder_at(slot, i).space.store(0, release);
}

void reap_region(RegionSlot& slot, SpaceId dead, SpaceId heir) {
  if (was_busy_in(slot, dead)) finish_freeing(slot);
  for (const RegionState unfinished : {kRegionClaimed, kRegionDying}) {
    uint32_t expected = state_word(unfinished, dead);
    if (slot.state.compare_exchange_strong(expected, state_word(kRegionDying, heir), std::memory_order_acq_rel)) {
      clear_records(slot);
      destroy_region(slot);
      return;
    }
  }
  const uint32_t life = slot.state.load(acquire);
  if (region_state(life) != kRegionLive) return;
  drop_claims(slot, dead);
  if (Holder* holder = find_holder(slot, dead)) {
    std::fill_n(eptab(dead) + holder->first_vpage, slot.pages, 0);
    leave_region(slot, *holder, dead);
  } else {
    destroy_if_deserted(slot, life);  // it may have died on its way out
  }
}

}  // namespace

void reap(SpaceId dead, SpaceId heir) {
  if (!segment::attached()) return;
  free_orphans_of(dead);
  for (uint32_t i = 0; i < regions_in_table(); ++i) {
    if (region_slot({i}).state.load(acquire) != kRegionFree) reap_region(region_slot({i}), dead, heir);
  }
  inherit_frames(dead, heir, frame_pool());
}

void announce_end(SpaceId ended) {
  if (!segment::attached()) return;
  for (uint32_t i = 0; i < regions_in_table(); ++i) {
    const RegionSlot& slot = region_slot({i});
    if (slot.state.load(acquire) == kRegionFree || find_holder(slot, ended) == nullptr) continue;
    // This space too: in a signal handler it may have interrupted its own sleep.
    for_each_holder(slot, [](Holder&, uint32_t word) { notify_space({word - 1}); });
  }
}

}  // namespace spmc
