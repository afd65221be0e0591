// Messages that have come and that no receive takes, as people know them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <chan/match/matcher.hpp>

namespace detmpi {

// Of a message that is not the program's own: what it is for.
std::string tag_text(int tag, uint32_t context);

// A rank of a communicator, and which of the job's it is where that is another.
std::string rank_text(int rank, int in_job);

struct UnmatchedMessages {
  static constexpr size_t kMostKinds = 8;
  struct Kind {  // all alike
    int from;    // rank in the job
    int tag;
    uint32_t context;
    std::string communicator;
    std::string what;
    std::string sender;
    uint64_t number;  // of the first among all messages from there
    uint64_t count = 1;
    void add(const Kind& other) {
      count += other.count;
      number = std::min(number, other.number);
    }
    bool like(const Kind& other) const {
      return from == other.from && tag == other.tag && context == other.context && what == other.what &&
             sender == other.sender && communicator == other.communicator;
    }
  };
  std::vector<Kind> kinds;  // at most kMostKinds: the first ones of the lowest ranks
  uint64_t others = 0;      // messages of other kinds
};

enum class MessagesOf : bool { kAll, kProgram };  // without those of collective operations

// Of those that come by `until`.
UnmatchedMessages unmatched_messages(const chan::match::Matcher& matcher, int ranks, chan::match::Time until,
                                     MessagesOf whom = MessagesOf::kAll);

}  // namespace detmpi
