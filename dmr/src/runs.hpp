// The pairs of one mapper on their way to the reducers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <dmr/engine.hpp>

#include "sorter.hpp"
#include "worker.hpp"

namespace dmr {

// A sorted part of a temporary file.
struct Segment {
  uint32_t file = 0, unused = 0;  // of which mapper
  uint64_t offset = 0, bytes = 0;
};

// Pairs that are sorted for each reducer, and written to the mapper's temporary file when they are too many.
class Runs : public Pairs {
 public:
  Runs(const Plan& plan, uint32_t mapper);

  void set_piece(uint64_t piece) { piece_ = piece; }
  void add(std::string_view key, std::string_view value) override;
  uint64_t pairs() const { return pairs_; }
  uint64_t bytes_spilled() const { return spilled_; }
  uint64_t bytes_held() const { return held_; }
  // Everything so far goes to the file, sorted. Throws JobError.
  void spill();

  // Sorts what is in memory.
  void sort();
  const Sorter& sorted(uint32_t reducer) const { return of_reducer_[reducer]; }
  const std::vector<Segment>& segments(uint32_t reducer) const { return segments_[reducer]; }

 private:
  const Plan& plan_;
  uint32_t mapper_;
  uint64_t piece_ = 0;
  uint64_t held_ = 0;  // by all of:
  std::vector<Sorter> of_reducer_;
  std::vector<std::vector<Segment>> segments_;
  uint64_t pairs_ = 0, spilled_ = 0;
};

}  // namespace dmr
