// Order of the stores. A space may be killed between any two of them, and its reaper must find every frame
// exactly once. So a frame is noted in RegionSlot::freeing, taken out of its word, freed, and only then the
// note goes. The reaper frees a noted frame if it is still held for this region and no word names it.
#include "collect.hpp"

#include "anchors.hpp"
#include "holders.hpp"
#include "local.hpp"

#include <spmc/self.hpp>

#include <algorithm>

namespace spmc {
namespace {

constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

// Chunks that a space keeps for the next burst when it gives up a region: 8 MiB.
constexpr size_t kKeepChunks = 32;

void release_frame(RegionSlot& slot, std::atomic<uint32_t>& word, uint32_t replacement = 0) {
  const EPageIndex frame{word.load(acquire)};
  if (frame.none()) return;
  slot.freeing.store(frame.value, release);
  word.store(replacement, release);
  FramePool::free(frame);
  slot.freeing.store(0, release);
}

void free_pages(RegionSlot& slot, AnchorPage& root) {
  if (!two_levels(slot.pages)) {
    for (uint32_t i = 0; i < slot.pages; ++i) release_frame(slot, root.words[i]);
    return;
  }
  const uint32_t subs = (slot.pages + kAnchorWords - 1) / kAnchorWords;
  for (uint32_t i = 0; i < subs; ++i) {
    const EPageIndex sub{root.words[i].load(acquire)};
    if (sub.none()) continue;
    for (std::atomic<uint32_t>& word : anchor_page(sub).words) release_frame(slot, word);
    release_frame(slot, root.words[i]);
  }
}

// Frees the oldest generation. `oldest_generation` follows the anchor: a reaper reads it from the anchor
// page.
void free_oldest_generation(RegionSlot& slot) {
  AnchorPage& root = anchor_page({slot.oldest_anchor.load(acquire)});
  free_pages(slot, root);
  slot.oldest_generation.store(root.generation + 1, release);
  release_frame(slot, slot.oldest_anchor, root.next.load(acquire));
}

bool has_holder(const RegionSlot& slot) {
  bool any = false;
  for_each_holder(slot, [&](Holder&, uint32_t) { any = true; });
  return any;
}

}  // namespace

RegionId id_of(const RegionSlot& slot) { return {static_cast<uint32_t>(&slot - &region_slot({0}))}; }

bool is_referenced(const RegionSlot& slot, EPageIndex frame) {
  const uint32_t tag = segment::pageinfo(frame).page;
  if (tag == kTagHolders) {
    for (EPageIndex at{slot.overflow.load(acquire)}; !at.none();) {
      if (at == frame) return true;
      at.value = reinterpret_cast<HolderPage*>(segment::frame(at))->next.load(acquire);
    }
    return false;
  }
  for (EPageIndex root{slot.oldest_anchor.load(acquire)}; !root.none();) {
    const AnchorPage& page = anchor_page(root);
    if (tag == kTagRootAnchor) {
      if (root == frame) return true;
    } else if ((tag & kTagSubAnchor) != 0) {
      if (page.words[tag & ~kTagSubAnchor].load(acquire) == frame.value) return true;
    } else if (const auto* word = find_word(slot.pages, root, tag & ~kTagLink)) {
      if (word->load(acquire) == frame.value) return true;
    }
    root.value = page.next.load(acquire);
  }
  return false;
}

void collect_dead_generations(RegionSlot& slot) {
  const Generation keep = oldest_held(slot);
  while (slot.oldest_generation.load(std::memory_order_relaxed) < keep) free_oldest_generation(slot);
}

void destroy_region(RegionSlot& slot) {
  while (slot.oldest_anchor.load(acquire) != 0) free_oldest_generation(slot);
  slot.producer.store(0, std::memory_order_relaxed);
  slot.state.store(kRegionFree, release);
  if (frame_pool().chunks() > kKeepChunks) frame_pool().trim(kKeepChunks);
}

void leave_region(RegionSlot& slot, Holder& holder, SpaceId space) {
  const uint32_t life = slot.state.load(acquire);
  if (slot.producer.load(acquire) == space.value + 1) {
    collect_dead_generations(slot);
    slot.producer.store(0, release);
  }
  // Of two holders that leave at the same time at least one sees the other gone; the state lets one of them
  // destroy.
  holder.space.store(0, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  notify_holders(slot);
  destroy_if_deserted(slot, life);
}

void destroy_if_deserted(RegionSlot& slot, uint32_t life) {
  // The serial number in `life` keeps a region that has taken this entry since then safe.
  if (has_holder(slot)) return;
  if (slot.state.compare_exchange_strong(life, region_word(kRegionDying, self_word()), std::memory_order_acq_rel)) {
    destroy_region(slot);
  }
}

}  // namespace spmc
