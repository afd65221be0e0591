// The parallel bucket sort of IS. Each rank holds an equal part of the keys, which stay in place; copies of them
// travel, whole buckets at a time, to the rank that counts their values.
#pragma once

#include <vector>

#include "keys.hpp"
#include "problem.hpp"

namespace npb::is {

class Ranking {
 public:
  Ranking(const Problem& problem, int rank, int ranks);

  // Ranks all keys, after altering two of them: iteration 1 <= iteration <= Problem::kIterations. Returns how many of
  // the test keys belong to this rank and have the expected rank. Collective over MPI_COMM_WORLD.
  int iterate(int iteration);

  // Whether the keys that the last iteration left here are in order, and none is smaller than those of the ranks
  // below. Collective.
  bool is_in_order() const;

 private:
  void alter_keys(int iteration);
  void sum_bucket_sizes();
  void exchange_keys();
  int count_passed_tests(int iteration) const;

  Problem problem_;
  int rank_;
  int ranks_;
  Range places_;           // of this rank's keys in the whole array
  std::vector<int> keys_;  // in their places

  std::vector<int> arranged_;      // a copy of keys_, bucket after bucket
  std::vector<int> local_sizes_;   // of the buckets, then the test keys found here, else 0
  std::vector<int> global_sizes_;  // the same, summed over the ranks
  std::vector<int> first_bucket_;  // of each rank
  std::vector<int> received_;      // the keys of this rank's buckets
  KeyCounts counts_;               // of received_
  int keys_below_ = 0;             // keys in the buckets of lower ranks
};

}  // namespace npb::is
