// Reading, writing, fixing, publishing and testing pages of the current generation.
#include "transfer.hpp"

#include "holders.hpp"
#include "pages.hpp"
#include "region_wait.hpp"
#include "violation.hpp"

#include <base/copy.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace spmc {
namespace {

constexpr base::Error kNotProducer{EPERM, "this space is not the producer of the region"};

uint32_t published_of(EPageIndex frame) { return segment::pageinfo(frame).published.load(std::memory_order_relaxed); }

// Calls fn(page, offset, bytes) for the part of the extent in each page; fn returns a Status.
template <typename Fn>
base::Status for_each_piece(const Extent& extent, Fn&& fn) {
  uint32_t page = extent.page;
  uint32_t offset = extent.offset;
  for (size_t left = extent.size; left != 0;) {
    const size_t bytes = std::min(left, kPageSize - offset);
    DL_TRY_STATUS(fn(page, offset, bytes));
    left -= bytes;
    offset = 0;
    ++page;
  }
  return {};
}

// Takes the frames of a range that the producer is about to fill. Ends the space if part of it is published
// already.
base::Status take_frames(const Extent& extent, const char* deed, const char* rule) {
  return for_each_piece(extent, [&](uint32_t page, uint32_t offset, size_t) -> base::Status {
    const View& view = *extent.view;
    EPageIndex frame = frame_of(view, page);
    if (!frame.none() && published_of(frame) > offset) violation(view, page, offset, deed, rule);
    if (frame.none()) frame = DL_TRY(ensure_frame(view, page));
    return {};
  });
}

void publish_page(const View& view, uint32_t page, EPageIndex frame, uint32_t end) {
  complete_frame(view, page, frame, end);
  if (end == kPageSize) {
    end_writing(view, page, page + 1, kReadable);
    pte_of(view, page) &= ~kPteWritable;
    g_local.counters.pages_fixed += 1;
  }
  segment::pageinfo(frame).published.store(end, std::memory_order_release);
}

// What a producer has written so far, wherever it is; zeros elsewhere.
void read_own(const View& view, uint32_t page, uint32_t offset, std::byte* to, size_t bytes) {
  const PageState& state = state_of(view, page);
  if (state.access == kWritable) {
    base::copy_memory(to, vpage_address(view.first + page) + offset, bytes);
    return;
  }
  const EPageIndex frame = frame_of(view, page);
  size_t defined = 0;
  if (!frame.none()) defined = state.own_frame != 0 ? state.mark : kPageSize;
  const size_t there = defined <= offset ? 0 : std::min(bytes, defined - offset);
  if (there != 0) base::copy_memory(to, segment::frame(frame) + offset, there);
  std::memset(to + there, 0, bytes - there);
}

void read_published(View& view, uint32_t page, uint32_t offset, std::byte* to, size_t bytes) {
  const std::byte* own = vpage_address(view.first + page) + offset;
  // A page that is published in part only is never mapped: the rest would be readable too.
  if (transfer_mode() == SPMC_WR2 || !is_fixed(view, page)) {
    base::copy_memory(to, segment::frame(frame_of(view, page)) + offset, bytes);
    return;
  }
  const bool open = transfer_mode() == SPMC_NWR || state_of(view, page).access != kNoAccess ||
                    open_readable(view, page, kConsumerRun);
  // In mode nwr this faults. A page that cannot be opened is read as in mode wr2.
  base::copy_memory(to, open ? own : segment::frame(frame_of(view, page)) + offset, bytes);
}

}  // namespace

base::Status region_write(void* va, const void* from, size_t size) {
  const Extent extent = DL_TRY(extent_at(va, size));
  View& view = *extent.view;
  if (!is_producer(view)) return kNotProducer;
  DL_TRY_STATUS(take_frames(extent, "writes", kRuleFixedOnce));
  if (transfer_mode() == SPMC_NWR) {
    base::copy_memory(va, from, size);  // through faults
    return {};
  }
  const auto* source = static_cast<const std::byte*>(from);
  return for_each_piece(extent, [&](uint32_t page, uint32_t offset, size_t bytes) -> base::Status {
    if (transfer_mode() == SPMC_WR && state_of(view, page).access == kNoAccess) {
      (void)open_writable(view, page, extent.end_page() - page);  // else written as in mode wr2
    }
    put_bytes(view, page, frame_of(view, page), offset, source, bytes);
    source += bytes;
    return {};
  });
}

base::Status region_read(const void* va, void* to, size_t size) {
  const Extent extent = DL_TRY(extent_at(va, size));
  View& view = *extent.view;
  auto* target = static_cast<std::byte*>(to);
  const bool own = is_producer(view);
  return for_each_piece(extent, [&](uint32_t page, uint32_t offset, size_t bytes) -> base::Status {
    if (own) {
      read_own(view, page, offset, target, bytes);
    } else {
      DL_TRY_STATUS(wait_published(view, page, offset + static_cast<uint32_t>(bytes)));
      const EPageIndex frame = frame_of(view, page);
      if (segment::pageinfo(frame).page != page) return base::Error{EINVAL, "an extension page holds no data"};
      read_published(view, page, offset, target, bytes);
    }
    target += bytes;
    return {};
  });
}

base::Status region_setfix(void* va, size_t size) {
  const Extent extent = DL_TRY(pages_at(va, size));
  View& view = *extent.view;
  if (!is_producer(view)) return kNotProducer;
  for (uint32_t page = extent.page; page < extent.end_page(); ++page) {
    const EPageIndex frame = frame_of(view, page);
    if (!frame.none() && published_of(frame) == kPageSize)
      violation(view, page, 0, "fixes a page again", kRuleFixTwice);
  }
  for (uint32_t page = extent.page; page < extent.end_page(); ++page) (void)DL_TRY(ensure_frame(view, page));
  // All of the frames first: mprotect of a whole run is cheaper, and a page is read-only before anyone may
  // read it.
  for (uint32_t page = extent.page; page < extent.end_page(); ++page) {
    complete_frame(view, page, frame_of(view, page), kPageSize);
  }
  end_writing(view, extent.page, extent.end_page(), kReadable);
  for (uint32_t page = extent.page; page < extent.end_page(); ++page) {
    pte_of(view, page) &= ~kPteWritable;
    segment::pageinfo(frame_of(view, page)).published.store(kPageSize, std::memory_order_release);
  }
  g_local.counters.pages_fixed += extent.end_page() - extent.page;
  g_local.counters.publications += 1;
  notify_holders(*view.slot);
  return {};
}

base::Status region_publish(void* va, size_t size) {
  const Extent extent = DL_TRY(extent_at(va, size));
  View& view = *extent.view;
  if (!is_producer(view)) return kNotProducer;
  if (size == 0) return base::Error{EINVAL, "no bytes to publish"};
  bool untouched = false;  // some page has no frame
  DL_TRY_STATUS(for_each_piece(extent, [&](uint32_t page, uint32_t offset, size_t bytes) -> base::Status {
    const EPageIndex frame = frame_of(view, page);
    untouched = untouched || frame.none();
    if (frame.none() || published_of(frame) < offset + bytes) return {};
    return base::Error{EINVAL, "in one of the pages all this is published already"};
  }));
  for (uint32_t page = extent.page; untouched && page < extent.end_page(); ++page) {
    (void)DL_TRY(ensure_frame(view, page));
  }
  (void)for_each_piece(extent, [&](uint32_t page, uint32_t offset, size_t bytes) -> base::Status {
    publish_page(view, page, frame_of(view, page), offset + static_cast<uint32_t>(bytes));
    return {};
  });
  g_local.counters.publications += 1;
  notify_holders(*view.slot);
  return {};
}

base::Result<bool> region_test(const void* va) {
  const Extent extent = DL_TRY(extent_at(va, 1));
  const PageFate fate = look_at_page(*extent.view, extent.page, extent.offset + 1);
  if (fate == PageFate::kPublished) return true;
  if (fate == PageFate::kNotYet) return false;
  return error_of(fate);
}

base::Status region_wait(const void* va) {
  const Extent extent = DL_TRY(extent_at(va, 1));
  const bool decided = look_at_page(*extent.view, extent.page, extent.offset + 1) != PageFate::kNotYet;
  if (!decided && is_producer(*extent.view)) return base::Error{EPERM, "a producer would wait for itself"};
  return wait_published(*extent.view, extent.page, extent.offset + 1);
}

}  // namespace spmc
