#include "anchors.hpp"

#include "local.hpp"

#include <spmc/self.hpp>

#include <algorithm>

namespace spmc {
namespace {

base::Result<EPageIndex> new_anchor(RegionId region, uint32_t tag, Generation generation, uint32_t words) {
  const EPageIndex frame = DL_TRY(frame_pool().try_alloc(region.value + 1, tag));
  g_local.counters.system_pages += 1;
  AnchorPage& page = anchor_page(frame);
  page.generation = generation;
  page.ext_page.store(kNoExtension, std::memory_order_relaxed);
  page.next.store(0, std::memory_order_relaxed);
  for (uint32_t i = 0; i < words; ++i) page.words[i].store(0, std::memory_order_relaxed);
  return frame;
}

}  // namespace

base::Result<EPageIndex> new_root_anchor(RegionId region, uint32_t pages, Generation generation) {
  const uint32_t words = two_levels(pages) ? (pages + kAnchorWords - 1) / kAnchorWords : pages;
  return new_anchor(region, kTagRootAnchor, generation, words);
}

std::atomic<uint32_t>* find_word(uint32_t pages, EPageIndex root, uint32_t page) {
  AnchorPage& top = anchor_page(root);
  if (!two_levels(pages)) [[likely]]
    return &top.words[page];
  const EPageIndex sub{top.words[page / kAnchorWords].load(std::memory_order_acquire)};
  return sub.none() ? nullptr : &anchor_page(sub).words[page % kAnchorWords];
}

base::Result<std::atomic<uint32_t>*> ensure_word(RegionId region, uint32_t pages, EPageIndex root, uint32_t page) {
  if (auto* word = find_word(pages, root, page)) return word;
  AnchorPage& top = anchor_page(root);
  const uint32_t index = page / kAnchorWords;
  const EPageIndex sub = DL_TRY(new_anchor(region, kTagSubAnchor | index, top.generation, kAnchorWords));
  top.words[index].store(sub.value, std::memory_order_release);
  return &anchor_page(sub).words[page % kAnchorWords];
}

}  // namespace spmc
