#include "holders.hpp"

#include "local.hpp"
#include "raise.hpp"

#include <spmc/self.hpp>

#include <base/wait.hpp>

#include <algorithm>
#include <cerrno>

namespace spmc {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;

HolderPage& holder_page(uint32_t frame) { return *reinterpret_cast<HolderPage*>(segment::frame({frame})); }

// The holder page behind `link`, made if it is not there.
base::Result<HolderPage*> ensure_holder_page(RegionId region, std::atomic<uint32_t>& link) {
  if (const uint32_t there = link.load(acquire)) return &holder_page(there);
  const EPageIndex fresh = DL_TRY(frame_pool().try_alloc(region.value + 1, kTagHolders));
  g_local.counters.system_pages += 1;
  HolderPage& page = holder_page(fresh.value);
  page.next.store(0, relaxed);
  for (Holder& holder : page.holders) holder.space.store(0, relaxed);
  uint32_t expected = 0;
  if (link.compare_exchange_strong(expected, fresh.value, std::memory_order_acq_rel, acquire)) return &page;
  FramePool::free(fresh);  // another space was faster
  return &holder_page(expected);
}

bool try_claim_holder(RegionSlot& slot, Holder& holder, uint32_t index) {
  if (holder.space.load(relaxed) != 0) return false;
  raise_to(slot.holder_limit, index + 1);  // before the claim, so that a reaper looks here
  uint32_t expected = 0;
  return holder.space.compare_exchange_strong(expected, kHolderClaimed | self_word(), std::memory_order_acq_rel,
                                              relaxed);
}

// Claims the first free record.
base::Result<Holder*> claim_holder(RegionId region) {
  RegionSlot& slot = region_slot(region);
  uint32_t index = 0;
  for (; index < kInlineHolders; ++index) {
    if (try_claim_holder(slot, slot.holders[index], index)) return &slot.holders[index];
  }
  std::atomic<uint32_t>* link = &slot.overflow;
  for (;;) {
    HolderPage* page = DL_TRY(ensure_holder_page(region, *link));
    for (Holder& holder : page->holders) {
      if (try_claim_holder(slot, holder, index)) return &holder;
      ++index;
    }
    link = &page->next;
  }
}

}  // namespace

uint32_t regions_in_table() { return segment::header().next_region.load(acquire); }

base::Result<RegionId> claim_region() {
  Header& header = segment::header();
  for (uint32_t i = 0; i < header.max_regions; ++i) {
    std::atomic<uint32_t>& state = region_slot({i}).state;
    uint32_t expected = kRegionFree;
    if (expected != state.load(relaxed)) continue;
    raise_to(header.next_region, i + 1);  // before the claim, so that a reaper looks here
    if (state.compare_exchange_strong(expected, region_word(kRegionClaimed, self_word()), std::memory_order_acq_rel,
                                      relaxed)) {
      return RegionId{i};
    }
  }
  return base::Error{ENOMEM, "the region table is full (raise spmc_config.regions)"};
}

Holder& holder_at(const RegionSlot& slot, uint32_t index) {
  if (index < kInlineHolders) [[likely]]
    return const_cast<Holder&>(slot.holders[index]);
  index -= kInlineHolders;
  HolderPage* page = &holder_page(slot.overflow.load(acquire));
  for (; index >= kPageHolders; index -= kPageHolders) page = &holder_page(page->next.load(acquire));
  return page->holders[index];
}

Holder* find_holder(const RegionSlot& slot, SpaceId space) {
  Holder* found = nullptr;
  for_each_holder(slot, [&](Holder& holder, uint32_t word) {
    if (word == space.value + 1) found = &holder;
  });
  return found;
}

base::Result<Holder*> add_holder(RegionId region, SpaceId space, uint32_t first_vpage, Generation generation,
                                 EPageIndex anchor) {
  Holder* holder = DL_TRY(claim_holder(region));
  RegionSlot& slot = region_slot(region);
  holder->first_vpage = first_vpage;
  holder->generation.store(generation, relaxed);
  holder->anchor = anchor.value;
  holder->space.store(space.value + 1, std::memory_order_release);
  // The producer that sees us at a later generation also sees this, and scans again.
  slot.holders_version.fetch_add(1, std::memory_order_seq_cst);
  return holder;
}

Generation oldest_held(const RegionSlot& slot) {
  for (;;) {
    const uint32_t version = slot.holders_version.load(acquire);
    Generation oldest = slot.newest_generation.load(relaxed);
    for_each_holder(slot, [&](Holder& holder, uint32_t word) {
      const Generation at = holder.generation.load(acquire);
      if (at < oldest && is_alive({word - 1})) oldest = at;
    });
    std::atomic_thread_fence(acquire);
    if (slot.holders_version.load(acquire) == version) return oldest;
  }
}

void notify_space(SpaceId id) { base::notify(segment::space_slot(id).wait); }

void notify_holders(const RegionSlot& slot) {
  base::light_fence();  // one for all of them; see base::notify
  for_each_holder(slot, [](Holder&, uint32_t word) {
    if (word == self_word()) return;
    base::WaitLine& line = segment::space_slot({word - 1}).wait;
    if (line.sleeping.load(relaxed)) [[unlikely]]
      base::wake_sleeper(line);
  });
}

}  // namespace spmc
