#include "view.hpp"

#include "anchors.hpp"
#include "holders.hpp"

#include <spmc/self.hpp>

#include <cerrno>

namespace spmc {
namespace {

// Number of the region that a page table entry belongs to.
RegionId region_of(Pte pte) {
  const uint32_t number = pte & kPteNumber;
  return {((pte & kPtePresent) != 0 ? segment::pageinfo({number}).region : number) - 1};
}

View* make_view(uint32_t vpage) {
  const RegionId region = region_of(g_local.row[vpage]);
  RegionSlot& slot = region_slot(region);
  Holder* holder = find_holder(slot, g_local.self);
  CHECK(holder != nullptr, "space %u maps region %u at page %u without holding it", g_local.self.value, region.value,
        vpage);
  uint32_t index = 0;
  while (index < g_local.views_used && g_local.views[index].slot != nullptr) ++index;
  if (index == g_local.views_used) ++g_local.views_used;
  View& view = g_local.views[index];
  view = View{&slot, holder, region, holder->first_vpage, slot.pages, false};
  for (uint32_t page = 0; page < view.pages; ++page) {
    PageState& state = state_of(view, page);
    state = PageState{.view = index + 1, .touched = state.touched};
  }
  return &view;
}

bool in_spmc_memory(uintptr_t address, size_t size) {
  const size_t bytes = size_t{segment::header().vpages} << kPageShift;
  return address >= kSpmcVmAddress && address - kSpmcVmAddress < bytes && size <= bytes - (address - kSpmcVmAddress);
}

}  // namespace

View* find_view(uint32_t vpage) {
  if (const uint32_t index = g_local.page_states[vpage].view) [[likely]]
    return &g_local.views[index - 1];
  return g_local.row[vpage] == 0 ? nullptr : make_view(vpage);
}

void forget_view(View& view) {
  for (uint32_t page = 0; page < view.pages; ++page) state_of(view, page).view = 0;
  view = View{};
}

base::Result<Extent> extent_at(const void* va, size_t size) {
  DL_TRY_STATUS(check_is_space());
  const auto address = reinterpret_cast<uintptr_t>(va);
  if (!in_spmc_memory(address, size)) return base::Error{EINVAL, "the range is not in SPMC memory"};
  const auto vpage = static_cast<uint32_t>((address - kSpmcVmAddress) >> kPageShift);
  View* view = find_view(vpage);
  if (view == nullptr) return base::Error{EFAULT, "no region is mapped at this address"};
  const size_t behind = address - kSpmcVmAddress - (size_t{view->first} << kPageShift);
  if (size > (size_t{view->pages} << kPageShift) - behind) return base::Error{EINVAL, "the range leaves the region"};
  return Extent{view, vpage - view->first, static_cast<uint32_t>(address & (kPageSize - 1)), size};
}

base::Result<Extent> pages_at(const void* va, size_t size) {
  if (reinterpret_cast<uintptr_t>(va) % kPageSize != 0) return base::Error{EINVAL, "the address is not page-aligned"};
  if (size == 0 || size % kPageSize != 0) {
    return base::Error{EINVAL, "the size is zero or not a multiple of the page size"};
  }
  return extent_at(va, size);
}

base::Result<Extent> whole_region_at(const void* va, size_t size) {
  const Extent extent = DL_TRY(pages_at(va, size));
  if (extent.page != 0 || extent.end_page() != extent.view->pages) {
    return base::Error{EINVAL, "the range is not a whole region"};
  }
  return extent;
}

EPageIndex frame_of(const View& view, uint32_t page) {
  Pte& pte = pte_of(view, page);
  if ((pte & kPtePresent) != 0) [[likely]]
    return {pte & kPteNumber};
  const auto* word = find_word(view.pages, {view.holder->anchor}, page);
  const EPageIndex frame{word == nullptr ? 0 : word->load(std::memory_order_acquire)};
  if (!frame.none()) pte = frame.value | kPtePresent | (pte & (kPteOwner | kPteWritable));
  return frame;
}

base::Result<EPageIndex> ensure_frame(const View& view, uint32_t page) {
  if (const EPageIndex there = frame_of(view, page); !there.none()) return there;
  auto* word = DL_TRY(ensure_word(view.region, view.pages, {view.holder->anchor}, page));
  const EPageIndex frame = DL_TRY(frame_pool().try_alloc(view.region.value + 1, page));
  g_local.counters.data_pages += 1;
  PageState& state = state_of(view, page);
  state.mark = 0;
  state.own_frame = 1;
  word->store(frame.value, std::memory_order_release);
  pte_of(view, page) = frame.value | kPtePresent | kPteWritable | kPteOwner;
  return frame;
}

void reset_pages(View& view, Reset what) {
  if (view.any_open) {
    const auto closed =
        base::protect(vpage_address(view.first), size_t{view.pages} << kPageShift, base::Protection::kNone);
    CHECK(closed.ok(), "%s", closed.error().what);
    view.any_open = false;
  }
  Pte empty = 0;
  if (what == Reset::kKeepMapped) {
    empty = (view.region.value + 1) | (is_producer(view) ? kPteOwner | kPteWritable : 0);
  }
  for (uint32_t page = 0; page < view.pages; ++page) {
    pte_of(view, page) = empty;
    PageState& state = state_of(view, page);
    state.access = kNoAccess;
    state.mark = 0;
    state.own_frame = 0;
  }
}

}  // namespace spmc
