// Address ranges for heaps. The root space owns all of [kHeapsAddress, +kHeapsBytes); each space gives pieces of its
// own range to its children, from the top down, and uses the rest for its own heap, from the bottom up. So the ranges
// of all living spaces are disjoint, and each depends only on the calls of a space and of its ancestors: addresses
// repeat.
//
//   base                                                     base + bytes
//   | own heap ->      | free             | child 2 | child 1 |
//
// Limits: a default share is 1/nspaces of three quarters of the root's range (at most 64 GiB), and for deeper spaces
// 1/48 of three quarters of the parent's; at least 1 MiB. The lower quarter is never given away. When nothing is left,
// a child has an empty range and its space_malloc fails; space_options.heap_bytes asks for more.
#pragma once

#include <cstdint>
#include <map>

#include <base/result.hpp>

namespace space {

inline constexpr uint64_t kHeapsAddress = 0x4000'0000'0000;
inline constexpr uint64_t kHeapsBytes = 0x1400'0000'0000;  // 20 TiB: ends below where programs are loaded
inline constexpr uint64_t kLeastShare = 1u << 20;
inline constexpr uint64_t kLargestShare = uint64_t{64} << 30;

struct HeapRange {
  uint64_t base = 0;
  uint64_t bytes = 0;
  uint64_t end() const { return base + bytes; }
};

class RangeGiver {
 public:
  RangeGiver(HeapRange mine, unsigned shares) : mine_(mine), shares_(shares) {}

  // A default share above `own_heap_end`; smaller than usual, in the end empty, when little is left.
  HeapRange give_share(uint64_t own_heap_end);
  // Exactly this much (rounded up to 1 MiB). Error ENOMEM.
  spmc::base::Result<HeapRange> try_give(uint64_t bytes, uint64_t own_heap_end);
  void take_back(const HeapRange& range);
  // Where the lowest range given away begins: the own heap may grow up to there.
  uint64_t lowest_given() const { return given_.empty() ? mine_.end() : given_.begin()->first; }
  const HeapRange& mine() const { return mine_; }

 private:
  // The highest gap for `bytes`, aligned to `alignment`; an empty range if there is none.
  HeapRange find_gap(uint64_t bytes, uint64_t alignment, uint64_t own_heap_end) const;

  HeapRange mine_;
  unsigned shares_;
  std::map<uint64_t, uint64_t> given_;  // base -> bytes
};

}  // namespace space
