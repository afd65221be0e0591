#include "ranking.hpp"

#include <mpi.h>

#include <algorithm>
#include <numeric>

namespace npb::is {
namespace {

constexpr int kLargestKeyTag = 1000;

// Where each rank's share starts, if the shares lie one behind the other; at the end, the length of all.
std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
  return starts;
}

}  // namespace

Ranking::Ranking(const Problem& problem, int rank, int ranks)
    : problem_(problem),
      rank_(rank),
      ranks_(ranks),
      places_(part_of(problem.keys(), ranks, rank)),
      keys_(make_keys(problem, places_)),
      local_sizes_(static_cast<std::size_t>(problem.buckets() + Problem::kTests)),
      global_sizes_(local_sizes_.size()) {}

int Ranking::iterate(int iteration) {
  if (rank_ == 0) alter_keys(iteration);
  count_by_bucket(keys_, problem_.bucket_shift(), local_sizes_.data(), problem_.buckets());
  arrange_by_bucket(keys_, problem_.bucket_shift(), local_sizes_.data(), problem_.buckets(), arranged_);
  sum_bucket_sizes();
  first_bucket_ = assign_buckets(global_sizes_.data(), problem_.buckets(), ranks_);
  exchange_keys();

  const int* sizes = global_sizes_.data();
  keys_below_ = std::accumulate(sizes, sizes + first_bucket_[rank_], 0);
  const int shift = problem_.bucket_shift();
  counts_.assign({first_bucket_[rank_] << shift, first_bucket_[rank_ + 1] << shift}, received_.data(),
                 static_cast<int>(received_.size()));
  return count_passed_tests(iteration);
}

void Ranking::alter_keys(int iteration) {
  keys_[iteration] = iteration;
  keys_[iteration + Problem::kIterations] = problem_.range() - iteration;
}

// The test keys travel with the sizes: one rank contributes the key, the others 0.
void Ranking::sum_bucket_sizes() {
  for (int test = 0; test < Problem::kTests; ++test) {
    const int place = problem_.test_index[test];
    local_sizes_[problem_.buckets() + test] = places_.contains(place) ? keys_[place - places_.begin] : 0;
  }
  MPI_Allreduce(local_sizes_.data(), global_sizes_.data(), static_cast<int>(local_sizes_.size()), MPI_INT, MPI_SUM,
                MPI_COMM_WORLD);
}

void Ranking::exchange_keys() {
  std::vector<int> send_counts(ranks_);
  std::vector<int> receive_counts(ranks_);
  for (int rank = 0; rank < ranks_; ++rank)
    send_counts[rank] =
        std::accumulate(local_sizes_.begin() + first_bucket_[rank], local_sizes_.begin() + first_bucket_[rank + 1], 0);
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT, MPI_COMM_WORLD);

  const std::vector<int> send_starts = starts_of(send_counts);
  const std::vector<int> receive_starts = starts_of(receive_counts);
  received_.resize(receive_starts.back());
  MPI_Alltoallv(arranged_.data(), send_counts.data(), send_starts.data(), MPI_INT, received_.data(),
                receive_counts.data(), receive_starts.data(), MPI_INT, MPI_COMM_WORLD);
}

int Ranking::count_passed_tests(int iteration) const {
  int passed = 0;
  for (int test = 0; test < Problem::kTests; ++test) {
    const int key = global_sizes_[problem_.buckets() + test];
    if (counts_.values().contains(key))
      passed += keys_below_ + counts_.smaller(key) == problem_.expected_rank(test, iteration);
  }
  return passed;
}

bool Ranking::is_in_order() const {
  const int count = static_cast<int>(received_.size());
  const std::vector<int> sorted = counts_.sort(received_.data(), count);
  MPI_Request request = MPI_REQUEST_NULL;
  int below = 0;
  if (rank_ > 0) MPI_Irecv(&below, 1, MPI_INT, rank_ - 1, kLargestKeyTag, MPI_COMM_WORLD, &request);
  // A rank without keys stands for those below it.
  if (sorted.empty()) MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int largest = sorted.empty() ? below : sorted.back();
  if (rank_ + 1 < ranks_) MPI_Send(&largest, 1, MPI_INT, rank_ + 1, kLargestKeyTag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return sorted.empty() || (below <= sorted.front() && std::is_sorted(sorted.begin(), sorted.end()));
}

}  // namespace npb::is
