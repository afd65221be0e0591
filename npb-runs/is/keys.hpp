// The keys of IS and the work on them within one rank: generation, division into buckets by their leading bits,
// and counting by value. No communication.
#pragma once

#include <vector>

#include "../common/range.hpp"
#include "problem.hpp"

namespace npb::is {

// The keys at places `part` of the whole array: sums of four random numbers, scaled; their distribution is
// bell-shaped.
std::vector<int> make_keys(const Problem& problem, Range part);

// The number of keys in each bucket; bucket = key >> shift. `sizes` has one element per bucket.
void count_by_bucket(const std::vector<int>& keys, int shift, int* sizes, int buckets);

// Copies the keys in the order of their buckets, keeping the order within a bucket. `sizes` as counted.
void arrange_by_bucket(const std::vector<int>& keys, int shift, const int* sizes, int buckets,
                       std::vector<int>& arranged);

// Which rank sorts which buckets: rank j those from first[j] to first[j + 1] - 1. `ranks` + 1 elements. A rank's
// last bucket is the first with which the total reaches (j + 1) / ranks of all keys, so that the last ranks may
// have none.
std::vector<int> assign_buckets(const int* sizes, int buckets, int ranks);

// How many keys of a range of values are smaller than each value. Built by counting.
class KeyCounts {
 public:
  // Counts keys[0 .. count - 1], all of which lie in `values`.
  void assign(Range values, const int* keys, int count);

  Range values() const { return values_; }

  // The number of counted keys smaller than `key`. values().begin <= key <= values().end.
  int smaller(int key) const { return smaller_[static_cast<std::size_t>(key - values_.begin)]; }

  // The counted keys in order. keys[0 .. count - 1] must be those that were counted.
  std::vector<int> sort(const int* keys, int count) const;

 private:
  Range values_;
  std::vector<int> smaller_;  // one element per value, and one behind: the number of all keys
};

}  // namespace npb::is
