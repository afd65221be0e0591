// What a rank publishes of itself for logical time, in its line of the space table (space/table.hpp, ClockLine) and,
// for the record of what it waits for, in frames of its own.
//
//   clock       at every call, and while it is blocked
//   record      while it is blocked for longer: one Need after the other (chan/match/snapshot.hpp), in words of 8 bytes
//                 kind | sources << 8, time, candidate            kFixed, kReceive, kMarks
//                 kind, time, peer, position, latency              kAck
//                 and the sources: rank; for kMarks rank, place, value
//   next match  of the synchronous messages that it has taken in and not acknowledged
//
// The frames of a record that has become too small are not given back: a reader may be in them.
#pragma once

#include <span>
#include <vector>

#include <chan/match/snapshot.hpp>
#include <space/table.hpp>
#include <spmc/frames.hpp>

#include "job_table.hpp"

namespace detmpi {

inline space::ClockLine& clock_line(int rank) { return space::lines(space_of_rank(rank)).clock; }

// The writer's end; one per rank.
class Publisher {
 public:
  Publisher() = default;
  Publisher(int rank, spmc::FramePool& frames) : rank_(rank), line_(&clock_line(rank)), frames_(&frames) {}

  // `clock`: everything stamped up to it is visible.
  void wait(uint64_t clock, bool any, const std::vector<chan::match::Need>& needs);
  void run();  // what was published of a wait does not hold any longer
  void done();
  bool waits() const { return waits_; }

  // Somebody watches this rank.
  bool watched() const { return line_->wake_at.load(std::memory_order_relaxed) != 0; }

 private:
  void begin_change(space::ClockKind kind);
  void end_change();
  void store(const std::vector<uint64_t>& words);

  int rank_ = 0;
  space::ClockLine* line_ = nullptr;
  spmc::FramePool* frames_ = nullptr;
  bool waits_ = false;
  uint32_t version_ = 0;
  spmc::EPageIndex room_;  // none at first
  size_t room_words_ = 0;
  std::vector<uint64_t> words_;
};

// A word of shared memory, as Need::Source::place names it.
uint64_t place_of(const std::atomic<uint64_t>& word);

// Wakes the ranks that watch this one. The change must have been published.
void wake_watchers(int rank);

// The job as whoever is attached to its segment sees it.
class JobView final : public chan::match::Shared {
 public:
  int ranks() const override { return static_cast<int>(g_job->ranks); }
  void read_record(int rank, chan::match::Record& record, uint64_t* version) override;
  uint64_t version(int rank) override;
  bool unexamined(int from, int to) override;
  bool examined(int from, int to, uint64_t position) override;
  bool acknowledged(int from, int to, uint64_t) override { return unexamined(to, from); }
  chan::match::Time next_match(int rank) override;
  bool marked(const chan::match::Need::Source& source) override;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace detmpi
