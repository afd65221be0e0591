// What ranks publish of themselves, and how another rank reads it all as if at one instant.
//
// Two passes. The first reads every record. The second looks again at each rank that waits: has it published anew, or
// is there a message for it that it had not examined? Such a rank has moved, and counts as running, with the clock of
// the first pass. Nothing is ever retried: clocks of running ranks always move. LOGICAL-TIME section 3.
#pragma once

#include <optional>
#include <vector>

#include <chan/match/bounds.hpp>
#include <chan/match/types.hpp>

namespace chan::match {

// One request of a waiting rank.
struct Need {
  enum class Kind : uint8_t { kFixed, kReceive, kAck, kEntries };
  struct Source {
    int rank = 0;
    Time floor = 0;  // arrival of its last message in the context
    bool operator==(const Source&) const = default;
  };
  Kind kind = Kind::kFixed;
  Time time = 0;  // kFixed: of completion; kReceive: of the post; kAck: the message's arrival; kEntries: own entry

  // kReceive
  Time candidate = kNever;      // least arrival of a message that has come and could be it
  std::vector<Source> sources;  // who could send one and has not

  // kAck: of a synchronous send
  int peer = 0;           // its destination
  uint64_t position = 0;  // of the message among all from this rank to that one
  Time latency = 0;       // of the acknowledgement

  // kEntries: of a collective
  uint32_t context = 0;
  uint64_t sequence = 0;     // among the collectives of the context
  std::vector<int> members;  // those who are waited for; ranks in the job

  bool operator==(const Need&) const = default;
};

struct Record {
  RankState::Kind kind = RankState::Kind::kRun;
  bool any = false;
  Time clock = 0;
  std::vector<Need> needs;         // kWait
  std::vector<uint64_t> examined;  // messages taken in, by source
  // The least time at which a synchronous message that was examined and not acknowledged yet may be matched.
  Time next_match = kNever;

  bool operator==(const Record&) const = default;
};

// The shared state of a job, as one rank reads it.
class Shared {
 public:
  virtual ~Shared() = default;
  virtual int ranks() const = 0;
  virtual Record record(int rank, uint64_t* version) = 0;
  virtual uint64_t version(int rank) = 0;
  virtual uint64_t sent(int from, int to) = 0;  // messages that are visible
  // Of the message at that position: the time of its acknowledgement.
  virtual std::optional<Time> acknowledged(int from, int to, uint64_t position) = 0;
  virtual std::optional<Time> entered(uint32_t context, uint64_t sequence, int rank) = 0;
};

// The ranks as the solver of bounds takes them. `lookahead`: the least time that anything takes from rank to rank.
std::vector<RankState> take_snapshot(Shared& shared, Time lookahead);

}  // namespace chan::match
