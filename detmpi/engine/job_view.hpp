// What each rank publishes of itself for logical time, in its slot of the space table (space/table.hpp): the ClockLine,
// and behind it the record of what it waits for, which lies in frames of its own if it is long; and the job as whoever
// is attached to its segment reads it.
//
//   clock       at every call, and while it is blocked
//   record      while it is blocked for longer: one Need after the other (chan/match/snapshot.hpp), in words of 8 bytes
//                 kind | all but << 7 | sources << 8, time, candidate   kFixed, kReceive, kMarks, kMessages
//                 kind, time, peer, position                       kAck
//                 kind, time, index                                kRepeat
//                 and the sources: rank; for kMarks rank, place, value
//   next match  of the synchronous messages that it has taken in and not acknowledged
//
// The frames of a record that has become too small are not given back: a reader may be in them.
#pragma once

#include <vector>

#include <chan/match/snapshot.hpp>
#include <space/table.hpp>

#include "job_table.hpp"

namespace detmpi {

inline constexpr uint64_t kAllBut = 1u << 7;
inline constexpr uint32_t kMostRecordWords = 1u << 24;  // four of them for each receive that names its source

inline space::ClockLine& clock_line(int rank) { return space::lines(space_of_rank(rank)).clock; }

// A short record lies in the slot, so that whoever reads all of them touches no page for each. Frame 0 is the
// segment's.
inline constexpr uint32_t kRecordInSlot = 0;
inline constexpr size_t kSlotRecordWords = sizeof(space::SpaceLines::upper) / (sizeof(uint64_t));
inline uint64_t* record_words(int rank, uint32_t frame) {
  if (frame == kRecordInSlot) return reinterpret_cast<uint64_t*>(space::lines(space_of_rank(rank)).upper);
  return reinterpret_cast<uint64_t*>(spmc::segment::frame(spmc::EPageIndex{frame}));
}

// The job as whoever is attached to its segment sees it.
class JobView final : public chan::match::Shared {
 public:
  int ranks() const override { return static_cast<int>(g_job->ranks); }
  void read_record(int rank, chan::match::Record& record, uint64_t* version) override;
  uint64_t version(int rank) override;
  bool done(int rank) override {
    return clock_line(rank).kind.load(std::memory_order_acquire) == static_cast<uint32_t>(space::ClockKind::kDone);
  }
  bool unexamined(int from, int to) override;
  bool unexamined_but(const std::vector<chan::match::Need::Source>& excluded, int to) override;
  bool examined(int from, int to, uint64_t position) override;
  bool acknowledged(int from, int to, uint64_t) override { return unexamined(to, from); }
  chan::match::Time next_match(int rank) override;
  bool marked(const chan::match::Need::Source& source) override;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace detmpi
