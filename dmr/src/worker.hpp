// What mappers and reducers do in their spaces. Each returns its exit status, which is for people.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <chan/chan.h>
#include <base/unique_fd.hpp>
#include <dmr/engine.hpp>

#include "board.hpp"
#include "skips.hpp"

namespace dmr {

// What all spaces of a job know; made by the root before they start.
struct Plan {
  const ByteJob& job;
  const Input& input;
  const Skips& skips;
  uint32_t mappers;  // at most
  uint32_t reducers;
  uint64_t memory;  // of all mappers, and again of all reducers: those need as much, if keys are spread evenly
  Board board;
  std::vector<spmc::base::UniqueFd> spill_files;  // of each mapper; invalid where there can be none
  std::string why_no_spill_files;                 // if they are invalid
  std::vector<chan_id> shuffle;                   // from mapper i to reducer j: [i * reducers + j]
  std::vector<chan_id> results;                   // from reducer j to the root
  static constexpr uint64_t kLeastMemory = 256 << 10;

  // Bytes for pairs. A mapper's share gets smaller when another is started.
  uint64_t memory_of_mapper() const { return std::max(memory / board.mappers(), kLeastMemory); }
  uint64_t memory_of_reducer() const { return std::max(memory / reducers, kLeastMemory); }
  // In which mappers hand out and reducers take in: numbers count in a circle of so many.
  uint32_t steps() const { return std::max(mappers, reducers); }
  chan_id shuffled(uint32_t mapper, uint32_t reducer) const { return shuffle[mapper * reducers + reducer]; }
};

// What a mapper sends a reducer first.
struct ShareHead {
  uint64_t is_sorted, pairs;  // pairs: those in memory; about so many if they are not sorted
};

// Of the worker that this space is; null in other spaces.
inline WorkerLine* g_line = nullptr;

// A call of a function of the job's.
template <typename Call>
void as_turn(WorkerLine& line, Call&& call) {
  line.begin_turn();
  call();
  if (!line.in_turn()) throw JobError(line.message);  // outside_turn has failed, and the function has caught it
  line.end_turn();
}

// What became of it is in its line; the exit status is 0 unless an exception came out of it.
inline constexpr int kFailedExit = 3;

int run_mapper(Plan& plan, uint32_t number);
int run_reducer(Plan& plan, uint32_t number);

}  // namespace dmr
