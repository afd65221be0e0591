// Finding deadlocks, from outside of the ranks.
//
// A rank that is blocked publishes what it waits for before it sleeps (engine/job_view.hpp). From one consistent look
// at all ranks follows for each the earliest time at which it can act again; a rank for which that is never is in a
// deadlock, whatever the others still do (chan/match/bounds.hpp). So the verdict is exact, also when only a part of the
// job is stuck, and nobody pays for it who is not blocked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <chan/match/bounds.hpp>

#include "description.hpp"
#include "fair_time.hpp"

namespace detmpi {

struct StuckRank {
  int rank = 0;
  uint64_t clock = 0;
  bool any = false;  // the first of several things would be enough
  std::string call;
  std::string place;  // in the program, empty if unknown
  std::vector<Unmet> needs;
  std::vector<Unmatched> unmatched;
  uint64_t others_unmatched = 0;
};

// Nobody is stuck where a rank has ended the job since collective operations do not match.
struct Deadlock {
  int ranks = 0;  // of the job
  bool strict_sends = false;
  bool even = false;  // it is told in the same place of logical time, and of the same ranks, in every run
  uint64_t cut = chan::match::kNever;  // the clock from which on output and messages do not count
  std::vector<StuckRank> stuck;
  std::vector<int> cycle;               // of ranks that wait for each other, empty if there is none
  std::vector<std::string> mismatches;  // of collective operations, each once
  std::vector<int> finished;            // ranks that have called MPI_Finalize, and that somebody waits for
};

// Of a job that has ended, if that is why.
std::optional<Deadlock> told_mismatch();

using DeadlockHandler = std::function<void(const Deadlock&)>;

class DeadlockFinder {
 public:
  // A look at all ranks that have been blocked since the last look. If there is a deadlock, and no further rank has
  // been drawn into it since the last look, nor for half a second of theirs while there are others that might be, asks
  // those in it to describe what they wait for, which takes a moment, and returns what they say.
  //
  // While others go on, more and more of them may come to be stuck, sooner or later in real time. So the deadlock that
  // is told is the first in logical time: of the ranks that were stuck at the first clock at which any were.
  std::optional<Deadlock> look();

 private:
  using Bounds = std::vector<chan::match::Time>;
  bool anybody_blocked();
  bool is_settled(const std::vector<StuckRank>& stuck, bool all, const Bounds& bounds);
  bool is_complete(Deadlock& deadlock, const Bounds& bounds) const;

  std::vector<uint64_t> clocks_;  // of the ranks that were blocked at the last look, by rank; all ones: was not
  std::vector<int> stuck_;        // at the last look, all or those that were first
  FairTime stuck_for_;            // so long they have been, by the time of the others
  int looks_in_vain_ = 0;         // one after the other
};

}  // namespace detmpi
