// Merging sorted runs of pairs: blocks in memory and segments of temporary files. The order is that of keys, then of
// pieces, then that in which the runs were added.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/engine.hpp>

#include "pair.hpp"

namespace dmr {

// Where the bytes of a run come from: appends more of them, some at least; false: there are no more.
using MoreBytes = std::function<bool(std::string& to)>;
MoreBytes bytes_of_blocks(std::vector<std::string> blocks);
// `bytes` of a file from `offset` on, `buffer` at a time. Throws JobError.
MoreBytes bytes_of_file(int file, uint64_t offset, uint64_t bytes, size_t buffer);

// One sorted run, pair by pair.
class RunReader {
 public:
  explicit RunReader(MoreBytes more) : more_(std::move(more)) {}
  // False: there are no more. The pair is good until the next call.
  bool next(PairView& pair);

 private:
  MoreBytes more_;
  std::string bytes_;
  size_t at_ = 0;  // of the next pair in bytes_
};

class Merger {
 public:
  explicit Merger(ByteJob::Less less) : order_(less) {}
  void add(RunReader run);
  void start();

  bool done() const { return heap_.empty(); }
  const PairView& top() const { return runs_[heap_.front()].pair; }
  // Is the key of the top the one that compares like `key`, whose prefix is `prefix`?
  bool top_has(uint64_t prefix, std::string_view key) const {
    const Run& run = runs_[heap_.front()];
    return run.prefix == prefix && order_.compare(run.pair.key, key) == 0;
  }
  uint64_t top_prefix() const { return runs_[heap_.front()].prefix; }
  void pop();

 private:
  struct Run {
    RunReader reader;
    PairView pair;
    uint64_t prefix = 0;
  };
  bool before(uint32_t a, uint32_t b) const;
  bool advance(uint32_t run);
  void sift_down();

  KeyOrder order_;
  std::vector<Run> runs_;
  std::vector<uint32_t> heap_;  // of numbers of runs_, the first is the least
};

}  // namespace dmr
