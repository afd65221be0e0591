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
#include "fair_time.hpp"

namespace detmpi {

struct Ending {
  int rank = 0;
  uint64_t end = 0;          // clock at the end of the epoch in which it has failed
  bool even = false;         // all others are beyond that
  std::vector<int> running;  // not even: who keeps the others from it
};

class EndFinder {
 public:
  EndFinder() : snapshot_(view_, g_job->lookahead) {}

  // A look at all ranks, some microseconds for each. Nothing: none has failed, it is too early to say, or to look
  // again.
  std::optional<Ending> look();
  // Some rank has, as of the last look.
  bool has_begun() const { return has_begun_; }
  // The time between two looks: of many ranks they take so long that others should have the core for most of it.
  uint64_t pause_ns() const { return pause_ns_; }

 private:
  JobView view_;
  chan::match::Snapshot snapshot_;
  std::vector<chan::match::Time> bounds_;
  bool has_begun_ = false;
  FairTime waited_;       // so long the others have had to come
  uint64_t next_ns_ = 0;  // when to look again, by the monotonic clock
  uint64_t pause_ns_ = 0;
};

}  // namespace detmpi
