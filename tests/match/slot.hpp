// Requests of a rank of the model.
#pragma once

#include <vector>

#include <chan/match/matcher.hpp>
#include <chan/match/snapshot.hpp>
#include <chan/match/types.hpp>

#include "world.hpp"

namespace match_test {

struct Slot {
  enum class Use { kEmpty, kSend, kSynchronous, kReceive, kCancelled } use = Use::kEmpty;
  match::Receive receive;
  match::Need need;  // of a send: kFixed or kAck; of a cancelled receive: kFixed
  Time bound = 0;    // of a synchronous send
};

inline bool is_receive(const Slot& slot) {
  return slot.use == Slot::Use::kReceive || slot.use == Slot::Use::kCancelled;
}
inline bool is_from_any(const Slot& slot) { return is_receive(slot) && slot.receive.source == match::kAny; }

// An open wildcard like one before it.
inline bool repeats(const Slot& own, const Slot& other) {
  const auto open = [](const Slot& s) {
    return s.use == Slot::Use::kReceive && !s.receive.final() && s.receive.source == match::kAny;
  };
  return open(own) && open(other) && own.receive.context == other.receive.context &&
         own.receive.tag == other.receive.tag && own.receive.grace == other.receive.grace &&
         own.receive.usual == other.receive.usual;
}
inline match::Need repeat_of(size_t index) {
  match::Need need;
  need.kind = match::Need::Kind::kRepeat;
  need.repeats = index;
  return need;
}

// Those of a call that are not empty.
struct Requests {
  std::vector<int> slots;
  std::vector<match::Outlook> outlooks;
};
inline std::vector<size_t> every(const Requests& all) {
  std::vector<size_t> indices(all.slots.size());
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}

}  // namespace match_test
