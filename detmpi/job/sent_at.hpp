// Where messages were sent that nobody has received: only their senders know it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../engine/unmatched.hpp"

namespace detmpi {

struct SentMessage {
  int from, to;     // ranks in the job
  uint32_t number;  // among all from the one to the other, modulo 2^32
  auto operator<=>(const SentMessage&) const = default;
};

// From now on more places are kept: those of the latest 65536 messages of this rank.
void keep_sent_places();

// Collective over the job. `unreceived`: what this rank has. Returns, as lines, what this one knows of messages that
// others have from it.
std::string answer_where_sent(const UnmatchedMessages& unreceived);

// Of the answers of all ranks: the places, as people know them.
std::map<SentMessage, std::string> places_in(const std::vector<std::string>& answers);

}  // namespace detmpi
