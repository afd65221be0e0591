// The queues of one rank, and which message each receive gets.
//
// Messages stand in the order of their keys, receives in the order of their posts. Each receive, in that order, gets
// the first message that it accepts and that no earlier receive has: the only stable matching of the two orders, so it
// does not matter how posts and physical arrivals interleaved. It is provisional as long as a message with a smaller
// key can still come. A pair is *final* if
//
//   F1  no other source can still send a message with a smaller key, or
//   F2  the receive names its source, and no earlier receive that is not final could take a message from it.
//
// F2 needs no knowledge of other ranks: it is the way of all programs without wildcards.
// LOGICAL-TIME section 4.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <chan/match/types.hpp>

namespace chan::match {

struct Receive;

struct Message {
  uint32_t context = 0;
  int tag = 0;
  Key key;
  Receive* taker = nullptr;  // of a final pair
  uint64_t pass = 0;         // of Matcher::settle in which an earlier receive took it provisionally
};

struct Receive {
  uint32_t context = 0;
  int source = kAny;  // rank in the job
  int tag = kAny;
  Time post = 0;
  bool probe = false;          // posted last, sees its message and leaves it
  Message* message = nullptr;  // of a final pair

  bool final() const { return message != nullptr; }
  // Of a final pair: the time of completion.
  Time time() const { return post > message->key.arrival ? post : message->key.arrival; }
  bool accepts(const Message& m) const {
    return context == m.context && (source == kAny || source == m.key.source) && (tag == kAny || tag == m.tag);
  }
};

// What the rank knows of messages that have not come yet.
class Horizon {
 public:
  virtual ~Horizon() = default;
  // The ranks that can send in a context.
  virtual std::span<const int> sources(uint32_t context) const = 0;
  // A lower bound for the arrival of the next message from `source` in `context` that is not in the queues.
  virtual Time next_arrival(int source, uint32_t context) const = 0;
};

// Owns neither messages nor receives: they stay where they are until they are taken or withdrawn.
class Matcher {
 public:
  explicit Matcher(int ranks) : queues_(static_cast<size_t>(ranks)) {}

  // Messages of one source come in the order in which they were sent; receives in the order of their posts.
  void arrive(Message& message) { queues_[static_cast<size_t>(message.key.source)].push_back(&message); }
  void post(Receive& receive) { receives_.push_back(&receive); }

  // Makes all pairs final that are, as far as the horizon is known.
  void settle(const Horizon& horizon);
  Outlook outlook(const Receive& receive, const Horizon& horizon) const;
  // The least arrival of a message that the receive accepts and that belongs to no final pair, kNever if there is none.
  Time least_candidate(const Receive& receive) const;
  // Has this source sent such a message?
  bool has_candidate(const Receive& receive, int source) const;
  // Could a receive that is not final take this message? A probe does not.
  bool is_wanted(const Message& message) const;

  // The receive is complete: it and its message leave the queues. Returns the message.
  Message& take(Receive& receive);
  // The receive is cancelled at `now`, which is before its time, or was only a probe. Pairs of later receives that are
  // not complete by then are open again.
  void withdraw(Receive& receive, Time now);

  const std::vector<Receive*>& receives() const { return receives_; }

 private:
  Message* first_free(const Receive& receive, int source) const;
  Message* candidate(const Receive& receive, const Horizon& horizon) const;

  std::vector<std::deque<Message*>> queues_;  // by source
  std::vector<Receive*> receives_;            // in post order
  uint64_t pass_ = 0;
};

}  // namespace chan::match
