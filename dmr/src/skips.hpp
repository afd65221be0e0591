// What is left out because it has failed (Options::skip_at_most).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <dmr/error.hpp>

namespace dmr {

struct FailedPart;

struct Skips {
  struct Range {
    uint64_t piece, begin, end;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges;
  std::vector<uint64_t> keys;  // their hashes

  // False: enough is left out already, or this is, and fails all the same.
  bool add(const FailedPart& failure, uint64_t most);
};

// A failure of a function of the job's. Does not leave run_bytes().
struct FailedPart : JobError {
  FailedPart(const std::string& text, Skips::Range where) : JobError(text), range(where), in_map(true) {}
  FailedPart(const std::string& text, uint64_t of_key) : JobError(text), key_hash(of_key) {}
  Skips::Range range = {};
  uint64_t key_hash = 0;
  bool in_map = false;
};

inline bool Skips::add(const FailedPart& failure, uint64_t most) {
  if (ranges.size() + keys.size() >= most) return false;
  const auto add_new = [](auto& all, const auto& one) {
    if (std::ranges::count(all, one) > 0) return false;
    all.push_back(one);
    return true;
  };
  return failure.in_map ? add_new(ranges, failure.range) : add_new(keys, failure.key_hash);
}

}  // namespace dmr
