// Anchor pages: from (generation, page) to a frame, one or two levels deep.
#pragma once

#include <base/result.hpp>
#include <spmc/region_layout.hpp>

namespace spmc {

inline AnchorPage& anchor_page(EPageIndex frame) { return *reinterpret_cast<AnchorPage*>(segment::frame(frame)); }
inline bool two_levels(uint32_t pages) { return pages > kAnchorWords; }

// A new root anchor page from this space's pool, all words empty. ENOMEM.
base::Result<EPageIndex> new_root_anchor(RegionId region, uint32_t pages, Generation generation);

// The word of `page`, or null when its anchor page does not exist yet. Any holder of that generation.
std::atomic<uint32_t>* find_word(uint32_t pages, EPageIndex root, uint32_t page);
// The same; makes the anchor page. Producer only. ENOMEM.
base::Result<std::atomic<uint32_t>*> ensure_word(RegionId region, uint32_t pages, EPageIndex root, uint32_t page);

}  // namespace spmc
