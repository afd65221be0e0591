// Sorts pairs by key; those of one key stay in the order in which they were added.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/engine.hpp>

#include "blocks.hpp"

namespace dmr {

class Sorter {
 public:
  explicit Sorter(ByteJob::Less less) : order_(less) {}

  void add(const PairView& pair) { entries_.push_back({order_.prefix(pair.key), pairs_.add(pair)}); }
  size_t pairs() const { return entries_.size(); }
  size_t bytes_held() const { return pairs_.bytes() + entries_.capacity() * sizeof(Entry); }
  void sort();
  // What was sorted, in blocks of whole pairs, which are good until take returns.
  template <typename Take>
  void each_block(Take&& take) const {
    std::string block;
    block.reserve(kBlockBytes);
    for (const Entry& entry : entries_) {
      std::string_view bytes;
      (void)pairs_.pair_at(entry.place, bytes);
      if (!block.empty() && block.size() + bytes.size() > kBlockBytes) {
        take(std::string_view(block));
        block.clear();
      }
      block.append(bytes);
    }
    if (!block.empty()) take(std::string_view(block));
  }
  // Gives the memory back: another sorter may be the one that needs it next.
  void clear() {
    std::vector<Entry>().swap(entries_);
    pairs_ = Blocks();
  }

 private:
  struct Entry {
    uint64_t prefix;
    Blocks::Place place;
  };
  std::string_view key_at(Blocks::Place place) const {
    std::string_view bytes;
    return pairs_.pair_at(place, bytes).key;
  }

  KeyOrder order_;
  Blocks pairs_;
  std::vector<Entry> entries_;
};

}  // namespace dmr
