// The pairs of one mapper: collected, sorted, written to its temporary file when they are too many, handed to reducers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <base/mapping.hpp>
#include <dmr/engine.hpp>

#include "pair.hpp"

namespace dmr {

// A sorted part of a temporary file.
struct Segment {
  uint32_t file = 0, unused = 0;  // of which mapper
  uint64_t offset = 0, bytes = 0;
};

class Runs : public Pairs {
 public:
  // `spill_file`: a descriptor, or -1 where there can be none; not owned.
  Runs(const ByteJob& job, uint32_t reducers, uint64_t memory_bytes, uint32_t mapper, int spill_file);

  void set_piece(uint64_t piece) { piece_ = piece; }
  void add(std::string_view key, std::string_view value) override;
  uint64_t pairs() const { return pairs_; }
  uint64_t bytes_spilled() const { return spilled_; }
  uint64_t bytes_held() const { return used_ + entries_ * sizeof(Entry); }
  // Everything so far goes to the file, sorted. Throws JobError.
  void spill();

  // Sorts what is in memory, and gives it in blocks of whole pairs.
  void sort();
  void each_block(uint32_t reducer, const std::function<void(std::string_view block)>& take) const;
  const std::vector<Segment>& segments(uint32_t reducer) const { return segments_[reducer]; }

 private:
  struct Entry {
    uint64_t prefix, offset;  // into arena_: what was added earlier has a smaller one
  };
  // And the bytes that it takes.
  PairView pair_at(uint64_t offset, size_t* bytes = nullptr) const;
  char* arena() const { return reinterpret_cast<char*>(arena_.base()); }
  void grow_or_spill(size_t bytes);

  const ByteJob& job_;
  KeyOrder order_;
  uint64_t memory_;
  uint32_t mapper_;
  int spill_file_;
  uint64_t piece_ = 0;
  spmc::base::Mapping arena_;
  uint64_t used_ = 0, entries_ = 0;
  std::vector<std::vector<Entry>> of_reducer_;
  std::vector<std::vector<Segment>> segments_;
  uint64_t pairs_ = 0, spilled_ = 0;
};

}  // namespace dmr
