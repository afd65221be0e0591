// What ranks publish of themselves, and how another rank reads it all as if at one instant.
//
// Two passes. The first reads every record. The second looks again at each rank that waits: has it published anew, or
// has something come that it waits for and has not taken in? Such a rank has moved, and counts as running, with the
// clock of the first pass. Nothing is ever retried: clocks of running ranks always move. LOGICAL-TIME section 3.
//
// What this asks of a rank: before it takes in anything while it is published as waiting, it publishes that it runs.
// Before it takes in a synchronous message, it lowers its next match to the message's arrival.
#pragma once

#include <vector>

#include <chan/match/bounds.hpp>
#include <chan/match/types.hpp>

namespace chan::match {

// One request of a waiting rank.
struct Need {
  // kRepeat: a receive that accepts the same messages as an earlier one, which stands for it.
  // kMessages: all of several messages, as a non-blocking collective operation needs them.
  enum class Kind : uint8_t { kFixed, kReceive, kAck, kMarks, kRepeat, kMessages };
  struct Source {
    int rank = 0;
    // kMarks: where the rank leaves its mark, and which.
    uint64_t place = 0;
    uint64_t value = 0;
    bool operator==(const Source&) const = default;
  };
  Kind kind = Kind::kFixed;
  // kFixed: of completion; kReceive: of the post; kAck: the message's arrival; kMarks, kMessages: of those that have
  // come.
  Time time = 0;

  Time candidate = kNever;      // kReceive: least arrival of a message that has come and could be it
  std::vector<Source> sources;  // kReceive: who could send one and has not; kMarks, kMessages: who is waited for
  bool all_but = false;         // kReceive: `sources` are those who could not, or have; all other ranks count

  size_t repeats = 0;  // kRepeat: index of that one among the needs

  // kAck: of a synchronous send
  int peer = 0;           // its destination
  uint64_t position = 0;  // of the message among all from this rank to that one

  bool operator==(const Need&) const = default;
};

struct Record {
  RankState::Kind kind = RankState::Kind::kRun;
  bool any = false;
  Time clock = 0;
  std::vector<Need> needs;  // kWait

  bool operator==(const Record&) const = default;
};

// The shared state of a job, as one rank reads it.
class Shared {
 public:
  virtual ~Shared() = default;
  virtual int ranks() const = 0;
  virtual void read_record(int rank, Record& record, uint64_t* version) = 0;
  virtual uint64_t version(int rank) = 0;
  // It will never act again, nor take in anything.
  virtual bool done(int rank) = 0;
  // Is there a message that the receiver has not taken in?
  virtual bool unexamined(int from, int to) = 0;
  // The same for any sender but those.
  virtual bool unexamined_but(const std::vector<Need::Source>& excluded, int to);
  // Has it taken in the message at that position?
  virtual bool examined(int from, int to, uint64_t position) = 0;
  // Is there an acknowledgement of that message which its sender has not taken in?
  virtual bool acknowledged(int from, int to, uint64_t position) = 0;
  // The least time at which a synchronous message that the rank has taken in, and not acknowledged, may be matched.
  virtual Time next_match(int rank) = 0;
  virtual bool marked(const Need::Source& source) = 0;
};

// When a synchronous send of the rank (kAck) is acknowledged: once a receive that the destination has posted can take
// the message, or at a later post of it.
Node node_of_ack(Shared& shared, int rank, const Need& need);

// One look at all ranks. Keeps its memory for the next one: that of ranks which do not wait, too.
class Snapshot {
 public:
  // `lookahead`: the least time that anything but an acknowledgement takes from rank to rank.
  Snapshot(Shared& shared, Time lookahead) : shared_(shared), lookahead_(lookahead) {}

  const std::vector<RankState>& take();
  // From whom the rank, as it was read last, awaits acknowledgements.
  template <typename Visit>
  void each_acknowledger(int rank, Visit&& visit) const {
    if (readings_.empty()) return;
    const Record& record = readings_[static_cast<size_t>(rank)].record;
    if (record.kind != RankState::Kind::kWait) return;
    for (const Need& need : record.needs) {
      if (need.kind == Need::Kind::kAck) visit(need.peer);
    }
  }

 private:
  struct Reading {
    Record record;
    uint64_t version = 0;
  };
  void look_again(int rank, RankState& state);
  void add_node(int rank, const Need& need, Node& node);
  bool has_moved(int rank);
  bool has_come(int rank, const Need& need);

  Shared& shared_;
  Time lookahead_;
  std::vector<Reading> readings_;
  std::vector<RankState> states_;
};

}  // namespace chan::match
