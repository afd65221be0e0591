#include "early_ends.hpp"

#include <atomic>

#include "../engine/job_view.hpp"
#include "../engine/watchers.hpp"

namespace detmpi {
namespace {

// What a rank that stays does by itself (failure.cpp): nobody waits for what it might do in the first epoch.
void fail_at_zero(int rank) {
  rank_record(rank).failed_at.store(1, std::memory_order_release);
  clock_line(rank).clock.store(g_job->lookahead - 1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // this process has not registered for the light one
  wake_watchers(rank);
}

bool is_anybody_in_mpi() {
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    if (rank_record(rank).state.load() == static_cast<uint32_t>(RankState::kRunning)) return true;
  }
  return false;
}

}  // namespace

bool EarlyEnds::ended_well(const spmc::base::ExitReport& end) { return !end.signalled && end.status == 0; }

void EarlyEnds::add(int rank, const spmc::base::ExitReport& report) {
  const bool failure = !ended_well(report);
  ends_[rank] = {report, failure};
  if (failure) fail_at_zero(rank);
}

bool EarlyEnds::look() {
  if (ends_.empty() || !is_anybody_in_mpi()) return false;
  bool some = false;
  for (auto& [rank, end] : ends_) {
    if (end.failure) continue;
    end.failure = some = true;
    fail_at_zero(rank);
  }
  return some;
}

std::optional<int> EarlyEnds::first_failure() const {
  for (const auto& [rank, end] : ends_) {
    if (end.failure) return rank;
  }
  return {};
}

const spmc::base::ExitReport* EarlyEnds::find(int rank) const {
  const auto found = ends_.find(rank);
  return found == ends_.end() ? nullptr : &found->second.report;
}

}  // namespace detmpi
