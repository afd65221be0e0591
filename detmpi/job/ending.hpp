// With which failure a job ends, and where: the same in every run.
//
// A rank that fails stays at its clock t (failure.hpp), and the others go on. Of all failures the one with the least
// (clock, rank) ends the job, once every other rank is certain to be beyond the epoch of t (rank_output.hpp): then
// none can fail before it any more, and what ranks have printed up to that epoch is complete. They come there by
// themselves: with one rank that acts no more at t, all that others wait for is decided that comes before t +
// lookahead. Only a rank that does not call MPI keeps the job waiting; after the grace the job ends without it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../engine/job_view.hpp"

namespace detmpi {

struct Ending {
  int rank = 0;
  uint64_t epoch = 0;        // in which it has failed
  bool even = false;         // all others are beyond that
  std::vector<int> running;  // not even: who keeps the others from it
};

class EndFinder {
 public:
  EndFinder() : snapshot_(view_, g_job->lookahead) {}

  // A look at all ranks, some microseconds for each. Nothing: none has failed, or it is too early to say.
  std::optional<Ending> look();
  // Some rank has, as of the last look.
  bool has_begun() const { return begun_ns_ != 0; }

 private:
  std::vector<int> ranks_before(uint64_t end, int failed);
  std::vector<int> running_of(const std::vector<int>& ranks) const;

  JobView view_;
  chan::match::Snapshot snapshot_;
  const std::vector<chan::match::RankState>* states_ = nullptr;  // in the snapshot
  std::vector<chan::match::Time> bounds_;
  uint64_t begun_ns_ = 0;  // monotonic clock; 0: not yet
};

}  // namespace detmpi
