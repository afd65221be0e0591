#include <chan/match/matcher.hpp>

#include <algorithm>

namespace chan::match {
namespace {

bool same_pattern(const Receive& a, const Receive& b) {
  return a.context == b.context && a.source == b.source && a.tag == b.tag && a.probe == b.probe;
}

// Is this the message that comes to the receive first?
bool nothing_before(const Message& message, const Receive& receive, const Horizon& horizon) {
  const Key key = receive.due(message.key);
  const Time least = horizon.least_arrival();
  const bool all_late = receive.usual == kAny || receive.usual == key.source;  // but for the message's own source
  if ((all_late ? later(least, receive.grace) : least) > key.arrival) return true;
  return std::ranges::all_of(receive.senders, [&](int source) {
    if (source == key.source) return true;
    const Time next = receive.due(horizon.next_arrival(source), source);
    return next > key.arrival || (next == key.arrival && source > key.source);
  });
}

}  // namespace

void Matcher::post(Receive& receive) {
  receive.order = next_order();
  put_back(receive);
}

void Matcher::put_back(Receive& receive) {
  auto group =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return same_pattern(*g.first, receive); });
  if (group == groups_.end()) group = groups_.emplace(groups_.end());
  Receive* before = group->last;
  if (before != nullptr && before->order > receive.order) {
    before = nullptr;
    for (Receive* r = group->first; r->order < receive.order; r = r->next) before = r;
  }
  group->insert_after(before, &receive);
}

Receive* Matcher::first_open(const Group& group) {
  Receive* receive = group.first;
  while (receive != nullptr && receive->final()) receive = receive->next;
  return receive;
}

// Few contexts have messages waiting at the same time.
MessageQueue& Matcher::occupy(const Message& message) {
  const auto s = static_cast<size_t>(message.key.source);
  occupied_[s / 64] |= uint64_t{1} << (s % 64);
  auto queue = std::ranges::find_if(queues_[s], [&](const MessageQueue& q) { return q.context() >= message.context; });
  if (queue == queues_[s].end() || queue->context() != message.context) {
    queue = queues_[s].insert(queue, MessageQueue(message.context));
  }
  return *queue;
}

void Matcher::put_back(Message& message) { occupy(message).put_back(message); }

void Matcher::take(Message& message) {
  const auto s = static_cast<size_t>(message.key.source);
  const auto queue = std::ranges::find(queues_[s], message.context, &MessageQueue::context);
  queue->take(message);
  if (!queue->empty()) return;
  queues_[s].erase(queue);
  if (queues_[s].empty()) occupied_[s / 64] &= ~(uint64_t{1} << (s % 64));
}

Message* Matcher::first_free(const Receive& receive, int source) const {
  for (Message* m = first_message(source, receive.context, receive.tag); m != nullptr; m = m->next) {
    if (m->taker == nullptr && m->pass != pass_ && receive.accepts(*m)) return m;
  }
  return nullptr;
}

// The free message with the least key.
Message* Matcher::candidate(const Receive& receive) const {
  if (receive.source != kAny) return first_free(receive, receive.source);
  Message* least = nullptr;
  each_occupied([&](int source) {
    Message* message = first_free(receive, source);
    if (message == nullptr) return;
    if (least == nullptr || receive.due(message->key) < receive.due(least->key)) least = message;
  });
  return least;
}

// Is there a message that comes to the receive before this one, and that an earlier receive has provisionally? If that
// gets another one in the end, and messages come to it in another order, then perhaps one that comes later to this.
bool Matcher::is_preceded(const Receive& receive, const Message& message) const {
  const Key key = receive.due(message.key);
  bool preceded = false;
  each_occupied([&](int source) {
    const Message* first = first_candidate(receive, source);
    preceded = preceded || (first != nullptr && receive.due(first->key) < key);
  });
  return preceded;
}

// Of receives with one pattern only the first that is not final is looked at. So a message that it accepts, and leaves
// because it has a lesser one, is not final for a later receive: those that were passed over may take it. Nobody waits
// for ever for that: the lesser message becomes final first.
void Matcher::settle(const Horizon& horizon) {
  ++pass_;
  open_.clear();
  heads_.clear();
  for (const Group& group : groups_) {
    if (Receive* head = first_open(group)) heads_.push_back(head);
  }
  const auto later = [](const Receive* a, const Receive* b) { return a->order > b->order; };
  std::ranges::make_heap(heads_, later);
  while (!heads_.empty()) {
    std::ranges::pop_heap(heads_, later);
    Receive*& head = heads_.back();
    if (try_final(*head, horizon)) {
      do head = head->next;
      while (head != nullptr && head->final());
    } else {
      open_.push_back(head);
      head = nullptr;
    }
    if (head != nullptr) std::ranges::push_heap(heads_, later);
    else heads_.pop_back();
  }
}

bool Matcher::try_final(Receive& receive, const Horizon& horizon) {
  const bool named = receive.source != kAny;
  if (named || receive.grace != 0) {
    receive.contested =
        std::any_of(open_.begin(), open_.end(), [&](const Receive* earlier) { return overlap(*earlier, receive); });
  }
  Message* message = candidate(receive);
  if (message == nullptr || receive.held) return false;
  const bool in_doubt = receive.grace != 0 && receive.contested && is_preceded(receive, *message);
  const auto accepts = [&](const Receive* earlier) { return earlier->accepts(*message); };
  if ((named && !receive.contested) ||
      (!in_doubt && std::none_of(open_.begin(), open_.end(), accepts) && nothing_before(*message, receive, horizon))) {
    receive.message = message;
    message->taker = &receive;
    return true;
  }
  message->pass = pass_;
  return false;
}

Receive* Matcher::taker_at_once(const Message& message, const Horizon& horizon) const {
  Receive* taker = nullptr;
  for (const Group& group : groups_) {
    if (group.first->probe || !group.first->accepts(message)) continue;
    Receive* r = first_open(group);
    if (r != nullptr && (taker == nullptr || r->order < taker->order)) taker = r;
  }
  if (taker == nullptr || taker->held || least_candidate(*taker) <= taker->due(message.key).arrival) return nullptr;
  return nothing_before(message, *taker, horizon) ? taker : nullptr;
}

Receive* Matcher::find_final() const {
  for (const Group& group : groups_) {
    if (group.first->final() && !group.first->probe) return group.first;
  }
  return nullptr;
}

Receive* Matcher::find_uncontested() const {
  for (const Group& group : groups_) {
    Receive* r = group.first;
    if (r->source != kAny && !r->contested && !r->probe && !r->final()) return r;
  }
  return nullptr;
}

Message* Matcher::first_candidate(const Receive& receive, int source) const {
  for (Message* m = first_message(source, receive.context, receive.tag); m != nullptr; m = m->next) {
    if (m->taker == nullptr && receive.accepts(*m)) return m;
  }
  return nullptr;
}

Time Matcher::least_candidate(const Receive& receive) const {
  Time least = kNever;
  const auto consider = [&](int source) {
    const Message* m = first_candidate(receive, source);  // arrivals of one source ascend
    if (m != nullptr) least = std::min(least, receive.due(m->key).arrival);
  };
  if (receive.source != kAny) consider(receive.source);
  else each_occupied(consider);
  return least;
}

Time Matcher::wanted_at(const Message& message) const {
  Time least = kNever;
  for (const Group& group : groups_) {
    if (group.first->probe || !group.first->accepts(message)) continue;
    const Receive* r = first_open(group);
    if (r == nullptr) continue;
    least = std::min(least, r->held ? message.key.arrival : r->due(message.key).arrival);
  }
  return least;
}

bool Matcher::is_contested(const Receive& receive) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
    return !group.first->probe && overlap(*group.first, receive) && first_open(group) != nullptr;
  });
}

Outlook Matcher::outlook(const Receive& receive, const Horizon& horizon) const {
  if (receive.final()) return {true, receive.time()};
  Time least = kNever;
  const auto consider = [&](int source) {
    const Message* m = is_occupied(source) ? first_candidate(receive, source) : nullptr;
    least = std::min(least, receive.due(m != nullptr ? m->key.arrival : horizon.next_arrival(source), source));
  };
  if (receive.source != kAny) consider(receive.source);
  else std::ranges::for_each(receive.senders, consider);
  return {false, std::max(receive.post, least)};
}

Message& Matcher::take(Receive& receive) {
  Message& message = *receive.message;
  take(message);
  take_out(receive);
  return message;
}

void Matcher::take_out(Receive& receive) {
  const auto group =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return same_pattern(*g.first, receive); });
  group->take(&receive);
  if (group->empty()) groups_.erase(group);
}

void Matcher::withdraw(Receive& receive, Time now) {
  const auto reopen = [](Receive& r) {
    if (r.final()) r.message->taker = nullptr;
    r.message = nullptr;
  };
  for (const Group& group : groups_) {
    for (Receive* other = group.first; other != nullptr; other = other->next) {
      if (other->order > receive.order && other->final() && other->time() > now) reopen(*other);
    }
  }
  reopen(receive);
  take_out(receive);
}

}  // namespace chan::match
