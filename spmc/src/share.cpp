// Creating regions, handing them over and giving them up.
#include "transfer.hpp"

#include "anchors.hpp"
#include "collect.hpp"
#include "holders.hpp"
#include "pages.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace spmc {
namespace {

constexpr uint32_t kLeastWindow = 2;
constexpr uint32_t kMostWindow = 64;

// The lowest run of free pages in a space's page table.
base::Result<uint32_t> find_free_pages(SpaceId space, uint32_t pages) {
  const Pte* row = eptab(space);
  const uint32_t vpages = segment::header().vpages;
  uint32_t run = 0;
  for (uint32_t at = 0; at < vpages; ++at) {
    run = row[at] == 0 ? run + 1 : 0;
    if (run == pages) return at + 1 - pages;
  }
  return base::Error{ENOMEM, "the space's SPMC memory has no free range of that size (raise spmc_config.pages)"};
}

base::Result<uint32_t> check_region_size(size_t size) {
  DL_TRY_STATUS(check_is_space());
  if (size == 0 || size % kPageSize != 0) {
    return base::Error{EINVAL, "the size is zero or not a multiple of the page size"};
  }
  if (size >> kPageShift > std::min(segment::header().vpages, kMaxRegionPages)) {
    return base::Error{ENOMEM, "the size is more than a space's SPMC memory (raise spmc_config.pages)"};
  }
  return static_cast<uint32_t>(size >> kPageShift);
}

void set_row(SpaceId space, uint32_t first, uint32_t pages, Pte pte) { std::fill_n(eptab(space) + first, pages, pte); }

base::Result<SpaceId> check_child(int number) {
  SpaceId child{static_cast<uint32_t>(number)};
  const int refusal = g_local.resolve_child == nullptr ? 0 : g_local.resolve_child(number, &child);
  if (refusal == EBUSY) return base::Error{EBUSY, "the child is running"};
  if (refusal != 0) return base::Error{refusal, "the space is not a child of this one"};
  if (child.value >= segment::header().max_spaces) return base::Error{ESRCH, "there is no such space"};
  if (child == g_local.self) return base::Error{EPERM, "a space cannot hand a region to itself"};
  return child;
}

// Where the region goes in the child: its first vpage there, and its record if it holds the region already.
struct Target {
  uint32_t first = 0;
  Holder* existing = nullptr;
};

base::Result<Target> check_target(const View& view, SpaceId child, const void* dva) {
  const auto address = reinterpret_cast<uintptr_t>(dva);
  if (address % kPageSize != 0) return base::Error{EINVAL, "the address in the child is not page-aligned"};
  const size_t vpages = segment::header().vpages;
  const uintptr_t first = (address - kSpmcVmAddress) >> kPageShift;
  if (address < kSpmcVmAddress || first >= vpages || view.pages > vpages - first) {
    return base::Error{EINVAL, "the address in the child is not in SPMC memory"};
  }
  Target target{static_cast<uint32_t>(first), find_holder(*view.slot, child)};
  if (target.existing != nullptr) {
    if (target.existing->first_vpage == first) return target;
    return base::Error{EEXIST, "the child maps this region elsewhere"};
  }
  const Pte* row = eptab(child) + first;
  if (std::any_of(row, row + view.pages, [](Pte pte) { return pte != 0; })) {
    return base::Error{EEXIST, "the address range is in use in the child"};
  }
  return target;
}

bool is_zero(const std::byte* page) {
  return page[0] == std::byte{0} && std::memcmp(page, page + 1, kPageSize - 1) == 0;
}

// Brings every frame of the unfixed pages up to date, so that the next producer finds in them what this one
// wrote.
base::Status hand_over_content(const View& view) {
  // A page that a fault opened with others and that is still zero needs no frame.
  const auto unfinished = [&](uint32_t page) {
    if (!frame_of(view, page).none()) return !is_fixed(view, page);
    return state_of(view, page).access == kWritable && !is_zero(vpage_address(view.first + page));
  };
  for (uint32_t page = 0; page < view.pages; ++page) {
    if (unfinished(page)) (void)DL_TRY(ensure_frame(view, page));
  }
  for (uint32_t page = 0; page < view.pages; ++page) {
    if (unfinished(page)) complete_frame(view, page, frame_of(view, page), kPageSize);
  }
  return {};
}

void become_consumer(const View& view) {
  end_writing(view, 0, view.pages, kNoAccess);
  for (uint32_t page = 0; page < view.pages; ++page) {
    pte_of(view, page) &= ~(kPteOwner | kPteWritable);
    state_of(view, page).own_frame = 0;
  }
}

}  // namespace

base::Result<void*> region_alloc(size_t size) {
  const uint32_t pages = DL_TRY(check_region_size(size));
  const uint32_t first = DL_TRY(find_free_pages(g_local.self, pages));
  const RegionId region = DL_TRY(claim_region());
  RegionSlot& slot = region_slot(region);
  slot.pages = pages;
  auto anchor = new_root_anchor(region, pages, 0);
  if (!anchor) {
    slot.state.store(kRegionFree, std::memory_order_release);
    return anchor.error();
  }
  slot.oldest_generation.store(0, std::memory_order_relaxed);
  slot.newest_generation.store(0, std::memory_order_relaxed);
  slot.window = std::clamp(segment::header().window_pages / pages, kLeastWindow, kMostWindow);
  slot.creator = g_local.self.value;
  slot.number = g_local.regions_made++;
  slot.oldest_anchor.store(anchor.value().value, std::memory_order_release);
  slot.producer.store(self_word(), std::memory_order_relaxed);
  auto holder = add_holder(region, g_local.self, first, 0, anchor.value());
  CHECK(holder.ok(), "an empty region has room for a holder");
  set_row(g_local.self, first, pages, (region.value + 1) | kPteOwner | kPteWritable);
  slot.serial += 1;
  slot.state.store(region_word(kRegionLive, slot.serial), std::memory_order_release);
  return static_cast<void*>(vpage_address(first));
}

base::Result<void*> region_place(int number, size_t size) {
  const uint32_t pages = DL_TRY(check_region_size(size));
  const SpaceId child = DL_TRY(check_child(number));
  return static_cast<void*>(vpage_address(DL_TRY(find_free_pages(child, pages))));
}

base::Status region_transown(int number, void* sva, void* dva, size_t size) {
  const Extent extent = DL_TRY(whole_region_at(sva, size));
  View& view = *extent.view;
  if (!is_producer(view)) return base::Error{EPERM, "this space is not the producer of the region"};
  const SpaceId child = DL_TRY(check_child(number));
  const Target target = DL_TRY(check_target(view, child, dva));
  const Generation newest = view.holder->generation.load(std::memory_order_relaxed);
  if (target.existing != nullptr && target.existing->generation.load(std::memory_order_acquire) != newest) {
    return base::Error{EBUSY, "the child is a consumer that has not reached the newest generation"};
  }
  DL_TRY_STATUS(hand_over_content(view));
  if (target.existing == nullptr) {
    (void)DL_TRY(add_holder(view.region, child, target.first, newest, {view.holder->anchor}));
  }
  become_consumer(view);
  set_row(child, target.first, view.pages, (view.region.value + 1) | kPteOwner | kPteWritable);
  view.slot->producer.store(child.value + 1, std::memory_order_release);
  return {};
}

base::Status region_copycons(int number, void* sva, void* dva, size_t size) {
  const Extent extent = DL_TRY(whole_region_at(sva, size));
  const View& view = *extent.view;
  const SpaceId child = DL_TRY(check_child(number));
  const Target target = DL_TRY(check_target(view, child, dva));
  if (target.existing != nullptr) return base::Error{EEXIST, "the child maps this region already"};
  const Generation at = view.holder->generation.load(std::memory_order_relaxed);
  (void)DL_TRY(add_holder(view.region, child, target.first, at, {view.holder->anchor}));
  set_row(child, target.first, view.pages, view.region.value + 1);
  return {};
}

base::Status region_clear(void* va, size_t size) {
  const Extent extent = DL_TRY(whole_region_at(va, size));
  View& view = *extent.view;
  RegionSlot& slot = *view.slot;
  Holder& holder = *view.holder;
  const bool was_open = view.any_open;
  reset_pages(view, Reset::kUnmap);
  if (was_open) (void)base::discard(vpage_address(view.first), size);  // failure only keeps memory
  forget_view(view);
  leave_region(slot, holder, g_local.self);
  return {};
}

}  // namespace spmc
