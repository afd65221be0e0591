#include <space/heap_range.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>

namespace space {

namespace base = spmc::base;

HeapRange RangeGiver::find_gap(uint64_t bytes, uint64_t alignment, uint64_t own_heap_end) const {
  const uint64_t floor = std::max(own_heap_end, mine_.base + mine_.bytes / 4);
  uint64_t top = mine_.end();
  auto next = given_.rbegin();
  for (;;) {
    const uint64_t bottom = next == given_.rend() ? floor : std::max(floor, next->first + next->second);
    if (top >= bottom && top - bottom >= bytes) {
      const uint64_t at = (top - bytes) / alignment * alignment;
      if (at >= bottom) return {at, bytes};
    }
    if (next == given_.rend()) return {};
    top = next->first;
    ++next;
  }
}

HeapRange RangeGiver::give_share(uint64_t own_heap_end) {
  const uint64_t fair = mine_.bytes / 4 * 3 / shares_;
  uint64_t bytes = std::min(std::bit_floor(std::max(fair, kLeastShare)), kLargestShare);
  for (; bytes >= kLeastShare; bytes /= 2) {
    const HeapRange range = find_gap(bytes, bytes, own_heap_end);
    if (range.bytes == 0) continue;
    given_[range.base] = range.bytes;
    return range;
  }
  return {};
}

base::Result<HeapRange> RangeGiver::try_give(uint64_t bytes, uint64_t own_heap_end) {
  const base::Error too_much{ENOMEM, "space_alloc: no address range of that size is left for the child's heap"};
  if (bytes == 0 || bytes > mine_.bytes) return too_much;
  bytes = (bytes + kLeastShare - 1) / kLeastShare * kLeastShare;
  const HeapRange range = find_gap(bytes, kLeastShare, own_heap_end);
  if (range.bytes == 0) return too_much;
  given_[range.base] = range.bytes;
  return range;
}

void RangeGiver::take_back(const HeapRange& range) {
  if (range.bytes != 0) given_.erase(range.base);
}

}  // namespace space
