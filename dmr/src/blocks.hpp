// Pairs in memory, in the order in which they were added, in blocks that are never moved.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <base/mapping.hpp>

#include "pair.hpp"

namespace dmr {

inline constexpr size_t kBlockBytes = 128 << 10;  // of a block, if it is not one pair alone

class Blocks {
 public:
  // Of a pair: what was added earlier has a smaller one.
  using Place = uint64_t;

  Place add(const PairView& pair) {
    const size_t bytes = bytes_of(pair);
    if (blocks_.empty() || blocks_.back().room() < bytes) open_block(bytes);
    Block& block = blocks_.back();
    const Place place = Place{blocks_.size() - 1} << kPlaceBits | block.size;
    write_pair(block.data.get() + block.size, pair);
    block.size += bytes;
    bytes_ += bytes;
    return place;
  }
  // And the bytes that it takes, from its first on.
  PairView pair_at(Place place, std::string_view& bytes) const {
    const Block& block = blocks_[place >> kPlaceBits];
    const size_t at = place & ((Place{1} << kPlaceBits) - 1);
    PairView pair;
    const size_t size = read_pair({block.data.get() + at, block.size - at}, pair);
    bytes = {block.data.get() + at, size};
    return pair;
  }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr int kPlaceBits = 36;  // of a place in its block: a key and a value have less than 8 GiB and a bit
  struct Block {
    std::unique_ptr<char[]> data;
    size_t size = 0, capacity = 0;
    size_t room() const { return capacity - size; }
  };

  void open_block(size_t bytes) {
    const size_t capacity = std::max(bytes, kBlockBytes);
    blocks_.push_back({std::unique_ptr<char[]>(new char[capacity]), 0, capacity});
    if (blocks_.size() > 1)
      spmc::base::bring_in(blocks_.back().data.get(), capacity);  // of the first little may be used
  }

  std::vector<Block> blocks_;
  size_t bytes_ = 0;
};

}  // namespace dmr
