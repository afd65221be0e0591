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

  std::string text() const {
    return (count == 1 ? "a message" : std::to_string(count) + " messages") + " from " + sender +
           " that no receive takes: " + what + ", on " + communicator;
  }
};

struct Description {
  std::string call;
  std::string place;         // in the program, empty if unknown
  std::vector<Unmet> needs;  // one per request, also if it is complete; `from` is empty
  std::vector<Unmatched> unmatched;
  uint64_t others_unmatched = 0;  // beyond those
  std::string mismatch;           // of collective operations, empty if there is none
};

bool has_described_itself(int rank);
// Empty if it has not.
Description description_of(int rank);

// Lines of a report. `others`: how many more there are of other kinds.
void write_unmatched(std::ostream& out, const std::vector<Unmatched>& unmatched, uint64_t others);

}  // namespace detmpi
