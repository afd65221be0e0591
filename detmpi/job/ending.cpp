#include "ending.hpp"

#include <base/sys.hpp>
#include <base/wait.hpp>

#include <utility>

namespace detmpi {
namespace {

struct Failure {
  uint64_t clock;
  int rank;
};

std::optional<Failure> first_failure() {
  std::optional<Failure> first;
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    const uint64_t at = rank_record(rank).failed_at.load(std::memory_order_acquire);
    if (at != 0 && (!first || at - 1 < first->clock)) first = Failure{at - 1, rank};
  }
  return first;
}

// It acts no more, so nothing is to be expected of it.
bool has_stopped(int rank) {
  const RankRecord& record = rank_record(rank);
  return record.failed_at.load(std::memory_order_acquire) != 0 ||
         record.state.load(std::memory_order_acquire) == static_cast<uint32_t>(RankState::kGone);
}

}  // namespace

std::optional<Ending> EndFinder::look() {
  const auto failure = first_failure();
  if (!failure) return {};
  const uint64_t now = spmc::base::monotonic_ns();
  if (!has_begun()) begun_ns_ = now;
  g_job->bounds_asked.store(1);  // blocked ranks publish what they wait for
  const uint64_t epoch = failure->clock / g_job->lookahead;
  const std::vector<int> before = ranks_before((epoch + 1) * g_job->lookahead, failure->rank);
  if (!before.empty() && now - begun_ns_ < g_job->grace_ns) return {};
  return Ending{failure->rank, epoch, before.empty(), running_of(before)};
}

// Those that may still do something before `end`. A rank whose bound is A acts at A at the earliest, and until then its
// clock, by which it prints, is at least A - 1 once it returns to its program.
std::vector<int> EndFinder::ranks_before(uint64_t end, int failed) {
  spmc::base::heavy_fence();
  states_ = &snapshot_.take();
  bounds_ = chan::match::solve_bounds(*states_, bounds_);
  std::vector<int> before;
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    if (rank != failed && bounds_[static_cast<size_t>(rank)] <= end && !has_stopped(rank)) before.push_back(rank);
  }
  return before;
}

// The others wait for these.
std::vector<int> EndFinder::running_of(const std::vector<int>& ranks) const {
  std::vector<int> running;
  for (const int rank : ranks) {
    if ((*states_)[static_cast<size_t>(rank)].kind == chan::match::RankState::Kind::kRun) running.push_back(rank);
  }
  return running;
}

}  // namespace detmpi
