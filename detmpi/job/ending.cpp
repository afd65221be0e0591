#include "ending.hpp"

#include <base/sys.hpp>
#include <base/wait.hpp>

#include <algorithm>
#include <compare>
#include <utility>

namespace detmpi {
namespace {

constexpr uint64_t kLeastPauseNs = 1'000'000;
constexpr uint64_t kPauseOfLook = 4;

struct Failure {
  uint64_t clock;
  int rank;
  auto operator<=>(const Failure&) const = default;
};

std::optional<Failure> failure_of(int rank) {
  const uint64_t at = rank_record(rank).failed_at.load(std::memory_order_acquire);
  return at != 0 ? std::optional(Failure{at - 1, rank}) : std::nullopt;
}

std::optional<Failure> first_failure() {
  std::optional<Failure> first;
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    const auto failure = failure_of(rank);
    if (failure && (!first || *failure < *first)) first = failure;
  }
  return first;
}

// It acts no more, and has not failed before that: one that has done so just now is for the next look.
bool has_stopped(int rank, const Failure& found) {
  if (rank_record(rank).state.load(std::memory_order_acquire) == static_cast<uint32_t>(RankState::kGone)) return true;
  const auto failure = failure_of(rank);
  return failure && *failure >= found;
}

// Those that may still do something before `end`. A rank whose bound is A acts at A at the earliest, and until then its
// clock, by which it prints, is at least A - 1 once it returns to its program.
std::vector<int> ranks_before(uint64_t end, const std::vector<chan::match::Time>& bounds, const Failure& found) {
  std::vector<int> before;
  for (int rank = 0; rank < static_cast<int>(bounds.size()); ++rank) {
    if (bounds[static_cast<size_t>(rank)] <= end && !has_stopped(rank, found)) before.push_back(rank);
  }
  return before;
}

// The others wait for these.
std::vector<int> running_of(std::vector<int> ranks, const std::vector<chan::match::RankState>& states) {
  using Kind = chan::match::RankState::Kind;
  std::erase_if(ranks, [&](int rank) { return states[static_cast<size_t>(rank)].kind != Kind::kRun; });
  return ranks;
}

}  // namespace

std::optional<Ending> EndFinder::look() {
  const auto found = first_failure();
  const uint64_t now = spmc::base::monotonic_ns();
  if (!found || now < next_ns_) return {};
  if (!std::exchange(has_begun_, true)) waited_.restart();
  g_job->bounds_asked.store(1);  // blocked ranks publish what they wait for
  spmc::base::heavy_fence();
  const auto& states = snapshot_.take();
  bounds_ = chan::match::solve_bounds(states, bounds_);
  const uint64_t end = (found->clock / g_job->lookahead + 1) * g_job->lookahead;
  std::vector<int> before = ranks_before(end, bounds_, *found);
  waited_.look(before);
  const uint64_t looked = spmc::base::monotonic_ns();
  pause_ns_ = std::max(kLeastPauseNs, kPauseOfLook * (looked - now));
  next_ns_ = looked + pause_ns_;
  if (!before.empty() && waited_.passed_ns() < g_job->grace_ns) return {};
  return Ending{found->rank, end, before.empty(), running_of(std::move(before), states)};
}

}  // namespace detmpi
