// Finding a region by address, and a page's frame.
#pragma once

#include "local.hpp"

namespace spmc {

// The view that covers a vpage of this space, or null. Async-signal-safe.
View* find_view(uint32_t vpage);
void forget_view(View& view);

// A checked range within one region.
struct Extent {
  View* view = nullptr;
  uint32_t page = 0;    // of the region, where it begins
  uint32_t offset = 0;  // within that page
  size_t size = 0;

  uint32_t end_page() const { return page + static_cast<uint32_t>((offset + size + kPageSize - 1) >> kPageShift); }
};

// Any alignment, any size (0 too).
base::Result<Extent> extent_at(const void* va, size_t size);
// Page-aligned, at least one page.
base::Result<Extent> pages_at(const void* va, size_t size);
// Exactly a whole region.
base::Result<Extent> whole_region_at(const void* va, size_t size);

// The frame of a page of the generation where this space stands; none if it has none yet. Enters it in the
// page table.
EPageIndex frame_of(const View& view, uint32_t page);
// Producer: the same, taking a frame if there is none.
base::Result<EPageIndex> ensure_frame(const View& view, uint32_t page);

// Takes the access to all pages of the view away and forgets their frames; `keep` says what the empty page
// table entries become (mapped without frame, or 0).
enum class Reset { kKeepMapped, kUnmap };
void reset_pages(View& view, Reset what);

}  // namespace spmc
