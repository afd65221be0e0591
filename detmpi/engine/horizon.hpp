// What this rank knows of messages that have not come: for each rank the least time at which it can act next.
//
// Knowledge comes in two ways: a look at the clocks that others publish, which is enough as long as they run; and a
// snapshot of the whole job, when some of them are blocked (chan/match/snapshot.hpp). What was learnt counts only after
// the lanes were emptied: a message sent before is then in the queues. Bounds only grow, so what is known is kept, and
// what a snapshot has shown is told to all.
//
// Watching: a rank that will sleep until others have moved on tells them from which clock on it wants to be woken.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <chan/match/matcher.hpp>
#include <chan/match/snapshot.hpp>

#include "published.hpp"

namespace detmpi {

class Horizon final : public chan::match::Horizon {
 public:
  using Time = chan::match::Time;

  // `first_come`: no bounds; whatever has come is in time.
  void start(int rank, int ranks, Time lookahead, bool first_come);

  Time next_arrival(int source) const override {
    return first_come_ ? chan::match::kNever : chan::match::later(known_[static_cast<size_t>(source)], lookahead_);
  }
  Time least_arrival() const override {
    return first_come_ ? chan::match::kNever : chan::match::later(std::min(least_, self()), lookahead_);
  }
  // Of a message that is sent at `act` or later.
  Time arrival_of(Time act) const { return first_come_ ? chan::match::kNever : chan::match::later(act, lookahead_); }
  // The earliest time at which the rank itself can act.
  Time self() const { return known_[static_cast<size_t>(rank_)]; }
  // No message to itself counts: what a call waits for cannot be sent during the call.
  class Others;
  // Nor one that the rank sends itself before it acts next.
  class Acting;

  // The rank's next message may arrive up to `beyond`, for all that is known.
  bool wanting(int rank, Time beyond) const {
    return rank != rank_ && chan::match::later(fresh_[static_cast<size_t>(rank)], lookahead_) <= beyond;
  }
  // What must be asked in place of `beyond` about the rank that a synchronous message went to: an acknowledgement takes
  // less than a message.
  Time beyond_for_ack(Time beyond) const {
    return chan::match::later(beyond, lookahead_ - std::min(lookahead_, chan::match::kAckLatency));
  }
  // Does that hold for no rank?
  bool none_wanting(Time beyond) const { return chan::match::later(least_, lookahead_) > beyond; }
  // Looks at the clock of a rank for which that holds. False if it still does.
  bool look(int rank, Time beyond);
  // A rank that was found wanting is blocked: a snapshot may tell more.
  bool snapshot_helps() const { return blocked_found_; }
  void begin_looks() { blocked_found_ = false; }
  // This rank has published how it stands itself. `unsent`: no message that it has not made visible yet was sent before
  // this; its next action may be later, but others get these messages first.
  void take_snapshot(Time unsent);
  // By the latest snapshot this rank is in a deadlock.
  bool never_acts() const { return fresh_[static_cast<size_t>(rank_)] == chan::match::kNever; }
  // When the acknowledgement that `need` is about comes at the earliest, if it has not come. To be used before the
  // lanes are emptied.
  Time earliest_ack(const chan::match::Need& need) {
    return chan::match::earliest(chan::match::node_of_ack(view_, rank_, need), fresh_);
  }
  // No action of this rank comes before `time`.
  void set_self(Time time);

  // The lanes were emptied after what has been learnt so far: all of them, or that of one source.
  void adopt();
  void adopt(int source) {
    Time& known = known_[static_cast<size_t>(source)];
    if (known == fresh_[static_cast<size_t>(source)]) return;
    known = fresh_[static_cast<size_t>(source)];
    note_news();
  }
  // After several of the latter.
  void find_least();
  // Counts what has been learnt.
  uint64_t epoch() const { return epoch_; }
  void note_news() { ++epoch_; }

  // Asks all ranks of the job that are wanting, since any may depend on any other, to wake this one when they can tell
  // more. True if anything had to be asked that was not asked before.
  bool watch(Time beyond);
  // The same for whatever the rank does next: it advances its clock, or publishes another next match.
  bool watch_next(int rank);
  void stop_watching();

 private:
  void tell(int rank, Time bound);
  bool watch_clock(int rank, Time at);

  int rank_ = 0;
  Time lookahead_ = 1;
  bool first_come_ = false;
  bool blocked_found_ = false;
  bool fresher_ = false;
  uint64_t epoch_ = 0;
  std::vector<Time> known_;  // holds for what is not in the queues
  std::vector<Time> fresh_;  // will, once the lanes are empty
  Time least_ = 0;           // no other rank's known time is less
  std::vector<int> watched_;
  std::vector<bool> watches_;
  JobView view_;
  std::optional<chan::match::Snapshot> snapshot_;
  chan::match::BoundsSolver solver_;
};

class Horizon::Others final : public chan::match::Horizon {
 public:
  Others(const detmpi::Horizon& all, int self) : all_(all), self_(self) {}
  chan::match::Time next_arrival(int source) const override {
    return source == self_ ? chan::match::kNever : all_.next_arrival(source);
  }
  chan::match::Time least_arrival() const override {
    return all_.first_come_ ? chan::match::kNever : chan::match::later(all_.least_, all_.lookahead_);
  }

 private:
  const detmpi::Horizon& all_;
  int self_;
};

class Horizon::Acting final : public chan::match::Horizon {
 public:
  Acting(const detmpi::Horizon& all, int self, Time next)
      : others_(all, self), self_(self), own_(all.arrival_of(next)) {}
  chan::match::Time next_arrival(int source) const override {
    return source == self_ ? own_ : others_.next_arrival(source);
  }
  chan::match::Time least_arrival() const override { return std::min(own_, others_.least_arrival()); }

 private:
  Others others_;
  int self_;
  Time own_;
};

}  // namespace detmpi
