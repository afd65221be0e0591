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

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <chan/match/message_queue.hpp>
#include <chan/match/queue.hpp>
#include <chan/match/types.hpp>

namespace chan::match {

struct Receive {
  Receive* next = nullptr;  // with the same pattern
  uint32_t context = 0;
  int source = kAny;  // rank in the job
  int tag = kAny;
  Time post = 0;
  uint64_t order = 0;  // of posting; ascending
  bool probe = false;  // posted last, sees its message and leaves it
  // An earlier receive that is not final may take its message; settled by the Matcher where it makes a difference: if
  // the source is named, or there is a grace.
  bool contested = false;
  Message* message = nullptr;    // of a final pair
  std::span<const int> senders;  // who can send in the context: ranks in the job
  // Of a receive from any source: the source whose messages it prefers. A message of another source comes to it by
  // `grace` later. Receives that are posted behind it and compete with it have the same grace, and no usual source, so
  // that a message comes to them no earlier than to it.
  int usual = kAny;
  Time grace = 0;
  bool held = false;  // not known yet whether one will: nothing is final before that is settled

  bool final() const { return message != nullptr; }
  // When a message that arrives then, from that source, comes to it.
  Time due(Time arrival, int from) const { return grace == 0 || from == usual ? arrival : later(arrival, grace); }
  Key due(const Key& key) const { return {due(key.arrival, key.source), key.source, key.number}; }
  void prefer_nobody() {
    usual = kAny;
    grace = 0;
  }
  // Of a final pair: the time of completion.
  Time time() const;
  bool accepts(const Message& m) const {
    return context == m.context && (source == kAny || source == m.key.source) && (tag == kAny || tag == m.tag);
  }
};

inline Time Receive::time() const { return std::max(post, due(message->key).arrival); }

// What the rank knows of messages that have not come yet.
class Horizon {
 public:
  virtual ~Horizon() = default;
  // A lower bound for the arrival of the next message from `source` that is not in the queues.
  virtual Time next_arrival(int source) const = 0;
  // One for all sources together; may be lower than any of theirs.
  virtual Time least_arrival() const { return 0; }
};

// Owns neither messages nor receives: they stay where they are until they are taken or withdrawn.
class Matcher {
 public:
  explicit Matcher(int ranks = 0)
      : queues_(static_cast<size_t>(ranks)), occupied_((static_cast<size_t>(ranks) + 63) / 64) {}

  // Messages of one source come in the order in which they were sent; receives in the order of their posts.
  void arrive(Message& message) { occupy(message).push(message); }
  void post(Receive& receive);
  // The same for receives that have been numbered by next_order(), in any order.
  void put_back(Receive& receive);
  // Could both take one and the same message?
  static bool overlap(const Receive& a, const Receive& b) {
    const auto meet = [](int x, int y) { return x == kAny || y == kAny || x == y; };
    return a.context == b.context && meet(a.tag, b.tag) && meet(a.source, b.source);
  }
  uint64_t next_order() { return ++posts_; }
  // One that was taken out comes back to its place.
  void put_back(Message& message);

  // Makes all pairs final that are, as far as the horizon is known.
  void settle(const Horizon& horizon);
  // The receive with which a message that has just come, and is not in the queues, is final at once. Null if there is
  // none, or if that takes more to tell.
  Receive* taker_at_once(const Message& message, const Horizon& horizon) const;
  Outlook outlook(const Receive& receive, const Horizon& horizon) const;
  // When a message that the receive accepts, and that belongs to no final pair, comes to it first; kNever if there is
  // none.
  Time least_candidate(const Receive& receive) const;
  // Has this source sent such a message?
  bool has_candidate(const Receive& receive, int source) const { return first_candidate(receive, source) != nullptr; }
  // The first one.
  Message* first_candidate(const Receive& receive, int source) const;
  // When the message comes to a receive that is not final and could take it, kNever if there is none. A probe does not.
  Time wanted_at(const Message& message) const;
  // Could a receive that is not final take a message that this one accepts?
  bool is_contested(const Receive& receive) const;

  // The receive is complete: it and its message leave the queues. Returns the message.
  Message& take(Receive& receive);
  // A message leaves without a receive of the queues, or a receive without a message.
  void take(Message& message);
  void take_out(Receive& receive);
  // The receive is cancelled at `now`, which is before its time, or was only a probe. Pairs of later receives that are
  // not complete by then are open again.
  void withdraw(Receive& receive, Time now);

  // A receive that is final; one that names its source and that nobody contests any longer. Null if there is none.
  Receive* find_final() const;
  Receive* find_uncontested() const;

  // Visits the first open receive of each pattern.
  template <typename Visit>
  void each_open(Visit&& visit) const {
    for (const Queue<Receive>& group : groups_) {
      if (const Receive* r = first_open(group)) visit(*r);
    }
  }

  // Visits the messages of a source: by context, then in their order.
  template <typename Visit>
  void each_message(int source, Visit&& visit) const {
    for (const MessageQueue& queue : queues_[static_cast<size_t>(source)]) {
      for (const Message* m = queue.first(); m != nullptr; m = m->next) visit(*m);
    }
  }
  // Those in one context.
  template <typename Visit>
  void each_message(int source, uint32_t context, Visit&& visit) const {
    for (Message* m = first_message(source, context); m != nullptr; m = m->next) visit(*m);
  }
  bool no_messages(int source) const { return queues_[static_cast<size_t>(source)].empty(); }
  bool no_receives() const { return groups_.empty(); }
  bool holds_only(const Receive& receive) const {
    return groups_.size() == 1 && groups_[0].first == &receive && groups_[0].last == &receive;
  }
  // Has the source any messages? Without a look at its queues.
  bool is_occupied(int source) const {
    const auto s = static_cast<size_t>(source);
    return (occupied_[s / 64] >> (s % 64) & 1) != 0;
  }
  // Visits the sources that a receive from any may have messages of: few of many, as a rule. That they can send in its
  // context shows in the messages.
  template <typename Visit>
  void each_occupied(Visit&& visit) const {
    for (size_t word = 0; word < occupied_.size(); ++word) {
      for (uint64_t bits = occupied_[word]; bits != 0; bits &= bits - 1) {
        visit(static_cast<int>(word * 64) + __builtin_ctzll(bits));
      }
    }
  }

 private:
  using Group = Queue<Receive>;  // of receives with the same pattern; never empty

  // The queue for the message, which will be put there.
  MessageQueue& occupy(const Message& message);
  // The first message of a source in a context, or the first that may be of the tag; null if there is none.
  Message* first_message(int source, uint32_t context, int tag = kAny) const {
    for (const MessageQueue& queue : queues_[static_cast<size_t>(source)]) {
      if (queue.context() == context) return queue.first(tag);
    }
    return nullptr;
  }
  static Receive* first_open(const Group& group);
  Message* first_free(const Receive& receive, int source) const;
  Message* candidate(const Receive& receive) const;
  bool is_preceded(const Receive& receive, const Message& message) const;
  bool try_final(Receive& receive, const Horizon& horizon);

  std::vector<std::vector<MessageQueue>> queues_;  // by source; of each the contexts, ascending; never empty ones
  std::vector<uint64_t> occupied_;                 // a bit for each source: it has queues
  std::vector<Group> groups_;
  uint64_t posts_ = 0;
  uint64_t pass_ = 0;
  // Of settle, kept for their memory.
  std::vector<Receive*> heads_;       // of the groups: the next to look at; a heap, the earliest post first
  std::vector<const Receive*> open_;  // earlier ones that are not final
};

}  // namespace chan::match
