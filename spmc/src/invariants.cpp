// What must hold in the tables, checked in both directions: from a space's page table to the frames, and
// back.
#include "anchors.hpp"
#include "collect.hpp"
#include "holders.hpp"
#include "pages.hpp"

#include <cstdarg>
#include <cstdio>

namespace spmc {
namespace {

constexpr auto acquire = std::memory_order_acquire;

char g_problem[256];

// Remembers what is wrong; true so that checks read "return wrong(...)".
__attribute__((format(printf, 1, 2))) bool wrong(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::vsnprintf(g_problem, sizeof g_problem, format, args);
  va_end(args);
  return true;
}

// The frame in an anchor word belongs to that page of that region, and to nothing else.
bool bad_frame(RegionId region, uint32_t page, EPageIndex frame) {
  if (frame.value >= segment::header().frames)
    return wrong("region %u page %u: frame out of range", region.value, page);
  const PageInfo& info = segment::pageinfo(frame);
  if (info.state.load(acquire) != kFrameHeld) {
    return wrong("region %u page %u: frame %u is free", region.value, page, frame.value);
  }
  if (info.region != region.value + 1 || (info.page & ~kTagLink) != page) {
    return wrong("region %u page %u: frame %u belongs to region %u page %u", region.value, page, frame.value,
                 info.region - 1, info.page);
  }
  if (info.published.load(acquire) > kPageSize) return wrong("frame %u: watermark beyond the page", frame.value);
  return false;
}

bool bad_page(const View& view, uint32_t page) {
  const Pte pte = pte_of(view, page);
  const PageState& state = state_of(view, page);
  const uint32_t number = pte & kPteNumber;
  const bool producer = is_producer(view);
  const auto at = [&](const char* what) {
    return wrong("space %u region %u page %u: %s", g_local.self.value, view.region.value, page, what);
  };
  if (((pte & kPteOwner) != 0) != producer) return at("the O bit differs from the region's producer");
  if ((pte & kPteWritable) != 0 && !producer) return at("writable for a consumer");
  if ((pte & kPtePresent) == 0) {
    if (number != view.region.value + 1) return at("the entry names another region");
    if (state.access == kReadable) return at("readable without a frame");
    return state.access == kWritable && !producer ? at("write access for a consumer") : false;
  }
  if (bad_frame(view.region, page, {number})) return true;
  const auto* word = find_word(view.pages, {view.holder->anchor}, page);
  if (word == nullptr || word->load(acquire) != number) return at("the entry differs from the anchor word");
  const bool fixed = segment::pageinfo({number}).published.load(acquire) == kPageSize;
  if (fixed && (pte & kPteWritable) != 0) return at("fixed and writable");
  if (state.access == kReadable && !fixed) return at("readable before it is fixed");
  if (state.access == kWritable && (fixed || !producer)) return at("write access to a fixed page or by a consumer");
  return producer && state.own_frame != 0 && state.mark < segment::pageinfo({number}).published.load(acquire)
             ? at("published beyond what is defined")
             : false;
}

bool bad_view(const View& view) {
  const RegionSlot& slot = *view.slot;
  const Holder& holder = *view.holder;
  const uint32_t id = view.region.value;
  if (region_state(slot.state.load(acquire)) != kRegionLive) return wrong("region %u: mapped and not live", id);
  if (holder.space.load(acquire) != self_word()) return wrong("region %u: the record is another space's", id);
  if (holder.first_vpage != view.first || slot.pages != view.pages) return wrong("region %u: mapped elsewhere", id);
  const AnchorPage& root = anchor_page({holder.anchor});
  if (root.generation != holder.generation.load(acquire)) return wrong("region %u: anchor of another generation", id);
  // The oldest generation moves up while we look, but never past us.
  if (slot.oldest_generation.load(acquire) > root.generation) return wrong("region %u: our generation is freed", id);
  for (uint32_t page = 0; page < view.pages; ++page) {
    if (bad_page(view, page)) return true;
  }
  return false;
}

bool bad_space() {
  const uint32_t vpages = segment::header().vpages;
  for (uint32_t vpage = 0; vpage < vpages;) {
    if (g_local.row[vpage] == 0) {
      if (g_local.page_states[vpage].view != 0) return wrong("vpage %u: a view of nothing", vpage);
      ++vpage;
      continue;
    }
    const View* view = find_view(vpage);
    if (view->first != vpage) return wrong("vpage %u: in the middle of a region whose beginning is unmapped", vpage);
    if (bad_view(*view)) return true;
    vpage += view->pages;
  }
  return false;
}

bool bad_words(RegionId region, uint32_t pages, EPageIndex root) {
  for (uint32_t page = 0; page < pages; ++page) {
    const auto* word = find_word(pages, root, page);
    if (word == nullptr) {
      page += kAnchorWords - 1;  // the words of a missing anchor page
      continue;
    }
    const EPageIndex frame{word->load(acquire)};
    if (!frame.none() && bad_frame(region, page, frame)) return true;
  }
  return false;
}

bool bad_link(RegionId region, uint32_t pages, EPageIndex root) {
  const AnchorPage& page = anchor_page(root);
  const uint32_t ext_page = page.ext_page.load(acquire);
  if (ext_page == kNoExtension) return false;
  const auto* word = find_word(pages, root, ext_page);
  if (word == nullptr || word->load(acquire) == 0) return false;  // its producer died before linking
  const auto* link = reinterpret_cast<const Link*>(segment::frame({word->load(acquire)}));
  if (link->magic != kLinkMagic || link->anchor != page.next.load(acquire) || link->generation != page.generation + 1) {
    return wrong("region %u: the link of generation %lu is wrong", region.value, page.generation);
  }
  return false;
}

bool bad_holders(RegionId region, Generation last) {
  const RegionSlot& slot = region_slot(region);
  const uint32_t producer = slot.producer.load(acquire);
  bool bad = false, producer_holds = producer == 0;
  for_each_holder(slot, [&](const Holder& holder, uint32_t word) {
    const Generation at = holder.generation.load(acquire);
    if (word > segment::header().max_spaces || find_holder(slot, {word - 1}) != &holder) {
      bad = wrong("region %u: two records of space %u", region.value, word - 1);
    } else if (at < slot.oldest_generation.load(acquire) || at > last) {
      bad = wrong("region %u: space %u stands at a generation that is not there", region.value, word - 1);
    } else if (eptab({word - 1})[holder.first_vpage] == 0) {
      bad = wrong("region %u: space %u holds it without mapping it", region.value, word - 1);
    }
    if (word == producer) producer_holds = at == slot.newest_generation.load(acquire);
  });
  if (!bad && !producer_holds) bad = wrong("region %u: the producer is not at the newest generation", region.value);
  return bad;
}

bool bad_region(RegionId region) {
  const RegionSlot& slot = region_slot(region);
  const RegionState state = region_state(slot.state.load(acquire));
  if (state == kRegionFree) return false;
  if (state != kRegionLive) return wrong("region %u: half made or half destroyed", region.value);
  if (slot.freeing.load(acquire) != 0) return wrong("region %u: a frame is half freed", region.value);
  EPageIndex root{slot.oldest_anchor.load(acquire)};
  Generation expected = slot.oldest_generation.load(acquire);
  for (uint32_t alive = 0; !root.none(); ++expected) {
    if (bad_frame(region, kTagRootAnchor & ~kTagLink, root)) return true;
    if (anchor_page(root).generation != expected) return wrong("region %u: generations out of order", region.value);
    if (++alive > slot.window + 1) return wrong("region %u: more generations than the window", region.value);
    if (bad_words(region, slot.pages, root) || bad_link(region, slot.pages, root)) return true;
    root.value = anchor_page(root).next.load(acquire);
  }
  return bad_holders(region, expected - 1);
}

bool bad_frames() {
  for (uint32_t chunk = 1; chunk < segment::chunks_seen(); ++chunk) {
    const uint32_t owner = segment::chunk_owner(chunk).load(acquire);
    for (uint32_t i = 0; i < kFramesPerChunk && owner != 0; ++i) {
      const EPageIndex frame{chunk * kFramesPerChunk + i};
      const PageInfo& info = segment::pageinfo(frame);
      if (info.state.load(acquire) != kFrameHeld || info.region == 0) continue;
      if (!is_referenced(region_slot({info.region - 1}), frame)) {
        return wrong("frame %u, page %x of region %u, of space %u: held and named nowhere", frame.value, info.page,
                     info.region - 1, owner - 1);
      }
    }
  }
  return false;
}

}  // namespace
}  // namespace spmc

using namespace spmc;

extern "C" const char* spmc_check_invariants(void) { return g_local.ready && bad_space() ? g_problem : nullptr; }

extern "C" const char* spmc_check_all_invariants(void) {
  if (!g_local.ready) return nullptr;
  if (bad_space() || bad_frames()) return g_problem;
  for (uint32_t i = 0; i < regions_in_table(); ++i) {
    if (bad_region({i})) return g_problem;
  }
  return nullptr;
}
