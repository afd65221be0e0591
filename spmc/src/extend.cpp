// Extension: moving a region on to its next generation.
#include "transfer.hpp"

#include "anchors.hpp"
#include "collect.hpp"
#include "holders.hpp"
#include "region_wait.hpp"

#include <spmc/self.hpp>

#include <cerrno>

namespace spmc {
namespace {

// The page of the extension, if the arguments name the whole region.
base::Result<Extent> check_arguments(void* extva, void* va, size_t size) {
  const Extent range = DL_TRY(pages_at(va, size));
  const Extent ext = DL_TRY(pages_at(extva, kPageSize));
  if (ext.view != range.view) return base::Error{EINVAL, "the extension page is in another region"};
  const bool in_front = ext.page == 0 && range.page == 1 && range.end_page() == ext.view->pages;
  const bool behind = range.page == 0 && range.end_page() + 1 == ext.view->pages && ext.page == range.end_page();
  if (!in_front && !behind) {
    return base::Error{EINVAL, "range and extension page together are not the whole region"};
  }
  return ext;
}

bool window_has_room(const RegionSlot& slot) {
  return slot.newest_generation.load(std::memory_order_relaxed) + 2 - oldest_held(slot) <= slot.window;
}

// Enters the next generation where consumers look for it. Each store may be the last one of this space.
void link_generation(const View& view, uint32_t page, EPageIndex link_frame, std::atomic<uint32_t>& word,
                     EPageIndex next) {
  AnchorPage& current = anchor_page({view.holder->anchor});
  auto* link = reinterpret_cast<Link*>(segment::frame(link_frame));
  *link = Link{kLinkMagic, current.generation + 1, next.value, page};
  current.next.store(next.value, std::memory_order_release);
  current.ext_page.store(page, std::memory_order_release);
  word.store(link_frame.value, std::memory_order_release);
  segment::pageinfo(link_frame).published.store(kPageSize, std::memory_order_release);
}

void move_to(View& view, EPageIndex anchor, Generation generation) {
  reset_pages(view, Reset::kKeepMapped);
  view.holder->anchor = anchor.value;
  view.holder->generation.store(generation, std::memory_order_release);
  g_local.counters.extensions += 1;
}

base::Status extend_as_producer(View& view, uint32_t page) {
  RegionSlot& slot = *view.slot;
  // Being writable says nothing: a fault opens a run of pages. What was stored there is dropped with the
  // generation.
  if (!frame_of(view, page).none()) {
    return base::Error{EINVAL, "the extension page was written or fixed as data"};
  }
  wait_here([&] { return window_has_room(slot); });
  collect_dead_generations(slot);
  const EPageIndex root{view.holder->anchor};
  const Generation next_generation = anchor_page(root).generation + 1;
  auto* word = DL_TRY(ensure_word(view.region, view.pages, root, page));
  const EPageIndex next = DL_TRY(new_root_anchor(view.region, view.pages, next_generation));
  auto link_frame = frame_pool().try_alloc(view.region.value + 1, kTagLink | page);
  if (!link_frame) {
    FramePool::free(next);
    return link_frame.error();
  }
  g_local.counters.system_pages += 1;
  link_generation(view, page, link_frame.value(), *word, next);
  slot.newest_generation.store(next_generation, std::memory_order_release);
  move_to(view, next, next_generation);
  notify_holders(slot);
  return {};
}

base::Status extend_as_consumer(View& view, uint32_t page) {
  DL_TRY_STATUS(wait_published(view, page, kPageSize));
  const EPageIndex frame = frame_of(view, page);
  const Link link = *reinterpret_cast<const Link*>(segment::frame(frame));
  if (segment::pageinfo(frame).page != (kTagLink | page)) {
    return base::Error{EINVAL, "the producer fixed this page as data, it is no extension page"};
  }
  CHECK(link.magic == kLinkMagic && link.ext_page == page, "region %u", view.region.value);
  move_to(view, {link.anchor}, link.generation);
  // Only a producer waits for this, for room in the window.
  const uint32_t producer = view.slot->producer.load(std::memory_order_relaxed);
  if (producer != 0) notify_space({producer - 1});
  return {};
}

}  // namespace

base::Status region_extend(void* extva, void* va, size_t size) {
  const Extent ext = DL_TRY(check_arguments(extva, va, size));
  return is_producer(*ext.view) ? extend_as_producer(*ext.view, ext.page) : extend_as_consumer(*ext.view, ext.page);
}

}  // namespace spmc
