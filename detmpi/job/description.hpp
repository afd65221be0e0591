// What a rank says of the call that it is in, when detmpirun asks it (engine/describe.cpp writes it).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace detmpi {

struct Unmet {  // something that a rank waits for
  std::string kind;
  std::string tag;
  std::string communicator;  // empty: of none
  std::string what;
  std::vector<int> from;  // who could bring it: ranks in the job

  std::string text() const { return communicator.empty() ? what : what + ", on " + communicator; }
  // That a send be received.
  bool is_receive() const { return kind == "synchronous send" || kind == "partitioned send"; }
};

struct Unmatched {  // messages that have come and that no receive takes, all alike
  int from = 0;     // rank in the job
  std::string tag;
  std::string communicator;
  std::string what;
  std::string sender;  // as it is told
  uint64_t count = 1;
  uint64_t number = 0;  // of the first, among all from there
  std::string sent_at;  // where in the program the first was sent, empty if unknown

  std::string text() const;
};

// The latest messages that a rank has sent: from one place, to one rank, one after the other.
struct SentRun {
  int to = 0;                    // rank in the job
  uint32_t first = 0, last = 0;  // numbers, modulo 2^32
  std::string by_function, by_offset;
};

struct Description {
  std::string call;
  std::string place;         // in the program, empty if unknown
  std::vector<Unmet> needs;  // one per request, also if it is complete; `from` is empty
  std::vector<Unmatched> unmatched;
  uint64_t others_unmatched = 0;  // beyond those
  std::vector<SentRun> sent;      // the earliest first
  std::string mismatch;           // of collective operations, empty if there is none
};

bool has_described_itself(int rank);
// Empty if it has not.
Description description_of(int rank);

// Of a message that `receiver` has: adds where it was sent, as far as its sender still knows.
void add_place(Unmatched& message, int receiver, const Description& sender);

// Lines of a report. `others`: how many more there are of other kinds.
void write_unmatched(std::ostream& out, const std::vector<Unmatched>& unmatched, uint64_t others);

}  // namespace detmpi
