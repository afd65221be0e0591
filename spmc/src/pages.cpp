#include "pages.hpp"

#include <base/copy.hpp>

#include <algorithm>
#include <cstring>

namespace spmc {
namespace {

std::byte* address_of(const View& view, uint32_t page) { return vpage_address(view.first + page); }

base::Status try_set_access(const View& view, uint32_t first, uint32_t last, base::Protection protection) {
  return base::protect(address_of(view, first), size_t{last - first} << kPageShift, protection);
}

void set_access(const View& view, uint32_t first, uint32_t last, base::Protection protection) {
  const auto done = try_set_access(view, first, last, protection);
  CHECK(done.ok(), "%s: this process may have reached %s", done.error().what, kMappingLimit);
}

// Opens pages that have no access, all or none.
bool try_open(View& view, uint32_t first, uint32_t last) {
  if (!try_set_access(view, first, last, base::Protection::kReadWrite).ok()) {
    set_access(view, first, last, base::Protection::kNone);  // some of them may be open
    return false;
  }
  view.any_open = true;
  return true;
}

uint32_t defined_bytes(const View& view, uint32_t page) {
  const PageState& state = state_of(view, page);
  return state.own_frame != 0 ? state.mark : kPageSize;
}

// What the producer has written so far into the frame goes to the vpage; the rest of it is zero.
void fill_for_writing(const View& view, uint32_t page) {
  PageState& state = state_of(view, page);
  const EPageIndex frame = frame_of(view, page);
  const uint32_t defined = frame.none() ? 0 : defined_bytes(view, page);
  if (defined != 0) std::memcpy(address_of(view, page), segment::frame(frame), defined);
  if (state.touched != 0) std::memset(address_of(view, page) + defined, 0, kPageSize - defined);
  state.touched = 1;
  state.access = kWritable;
}

}  // namespace

bool is_fixed(const View& view, uint32_t page) {
  const EPageIndex frame = frame_of(view, page);
  if (frame.none()) return false;
  const PageInfo& info = segment::pageinfo(frame);
  return info.published.load(std::memory_order_acquire) == kPageSize && info.page == page;
}

bool open_writable(View& view, uint32_t page, uint32_t most) {
  uint32_t last = page + 1;
  while (last < view.pages && last - page < most && state_of(view, last).access == kNoAccess && !is_fixed(view, last)) {
    ++last;
  }
  if (!try_open(view, page, last)) return false;
  for (uint32_t p = page; p < last; ++p) fill_for_writing(view, p);
  g_local.counters.pages_mapped += last - page;
  return true;
}

bool open_readable(View& view, uint32_t page, uint32_t most) {
  uint32_t last = page + 1;
  while (last < view.pages && last - page < most && state_of(view, last).access == kNoAccess && is_fixed(view, last)) {
    ++last;
  }
  if (!try_open(view, page, last)) return false;
  for (uint32_t p = page; p < last; ++p) {
    std::memcpy(address_of(view, p), segment::frame(frame_of(view, p)), kPageSize);
    state_of(view, p).touched = 1;
    state_of(view, p).access = kReadable;
  }
  set_access(view, page, last, base::Protection::kRead);
  g_local.counters.pages_mapped += last - page;
  return true;
}

void complete_frame(const View& view, uint32_t page, EPageIndex frame, uint32_t end) {
  PageState& state = state_of(view, page);
  std::byte* bytes = segment::frame(frame);
  if (state.access == kWritable) {
    const uint32_t published = segment::pageinfo(frame).published.load(std::memory_order_relaxed);
    std::memcpy(bytes + published, address_of(view, page) + published, end - published);
  } else if (const uint32_t defined = defined_bytes(view, page); defined < end) {
    std::memset(bytes + defined, 0, end - defined);
  }
  if (state.own_frame != 0 && state.mark < end) state.mark = static_cast<uint16_t>(end);
}

void put_bytes(const View& view, uint32_t page, EPageIndex frame, uint32_t offset, const std::byte* from, size_t size) {
  PageState& state = state_of(view, page);
  if (state.access == kWritable) {
    base::copy_memory(address_of(view, page) + offset, from, size);
    return;
  }
  std::byte* bytes = segment::frame(frame);
  if (const uint32_t defined = defined_bytes(view, page); defined < offset) {
    std::memset(bytes + defined, 0, offset - defined);
  }
  base::copy_memory(bytes + offset, from, size);
  if (state.own_frame != 0) state.mark = std::max<uint16_t>(state.mark, static_cast<uint16_t>(offset + size));
}

void end_writing(const View& view, uint32_t first, uint32_t last, Access then) {
  const auto protection = then == kReadable ? base::Protection::kRead : base::Protection::kNone;
  for (uint32_t page = first; page < last;) {
    if (state_of(view, page).access != kWritable) {
      ++page;
      continue;
    }
    const uint32_t begin = page;
    while (page < last && state_of(view, page).access == kWritable) state_of(view, page++).access = then;
    set_access(view, begin, page, protection);
  }
}

}  // namespace spmc
