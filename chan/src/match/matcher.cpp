#include <chan/match/matcher.hpp>

#include <algorithm>

namespace chan::match {
namespace {

// Could both take one and the same message?
bool overlap(const Receive& a, const Receive& b) {
  const auto meet = [](int x, int y) { return x == kAny || y == kAny || x == y; };
  return a.context == b.context && meet(a.source, b.source) && meet(a.tag, b.tag);
}

bool nothing_before(const Message& message, const Horizon& horizon) {
  const auto comes_later = [&](int source) {
    if (source == message.key.source) return true;
    const Time next = horizon.next_arrival(source, message.context);
    return next > message.key.arrival || (next == message.key.arrival && source > message.key.source);
  };
  const auto sources = horizon.sources(message.context);
  return std::all_of(sources.begin(), sources.end(), comes_later);
}

template <typename T>
void erase(T& list, typename T::value_type item) {
  list.erase(std::find(list.begin(), list.end(), item));
}

}  // namespace

Message* Matcher::first_free(const Receive& receive, int source) const {
  for (Message* message : queues_[static_cast<size_t>(source)]) {
    if (message->taker == nullptr && message->pass != pass_ && receive.accepts(*message)) return message;
  }
  return nullptr;
}

// The free message with the least key.
Message* Matcher::candidate(const Receive& receive, const Horizon& horizon) const {
  if (receive.source != kAny) return first_free(receive, receive.source);
  Message* least = nullptr;
  for (const int source : horizon.sources(receive.context)) {
    Message* message = first_free(receive, source);
    if (message != nullptr && (least == nullptr || message->key < least->key)) least = message;
  }
  return least;
}

void Matcher::settle(const Horizon& horizon) {
  ++pass_;
  std::vector<const Receive*> open;  // earlier receives that are not final; of equal ones, the first
  for (Receive* receive : receives_) {
    if (receive->final()) continue;
    const bool contested =
        std::any_of(open.begin(), open.end(), [&](const Receive* earlier) { return overlap(*earlier, *receive); });
    Message* message = candidate(*receive, horizon);
    const bool named = receive->source != kAny;
    if (message != nullptr && ((named && !contested) || nothing_before(*message, horizon))) {
      receive->message = message;
      message->taker = receive;
      continue;
    }
    if (message != nullptr) message->pass = pass_;
    const auto same = [&](const Receive* other) {
      return other->context == receive->context && other->source == receive->source && other->tag == receive->tag;
    };
    if (std::none_of(open.begin(), open.end(), same)) open.push_back(receive);
  }
}

Time Matcher::least_candidate(const Receive& receive) const {
  Time least = kNever;
  for (const auto& queue : queues_) {
    for (const Message* message : queue) {
      if (message->taker == nullptr && receive.accepts(*message)) least = std::min(least, message->key.arrival);
    }
  }
  return least;
}

bool Matcher::has_candidate(const Receive& receive, int source) const {
  const auto& queue = queues_[static_cast<size_t>(source)];
  return std::any_of(queue.begin(), queue.end(),
                     [&](const Message* m) { return m->taker == nullptr && receive.accepts(*m); });
}

bool Matcher::is_wanted(const Message& message) const {
  return std::any_of(receives_.begin(), receives_.end(),
                     [&](const Receive* r) { return !r->final() && !r->probe && r->accepts(message); });
}

Outlook Matcher::outlook(const Receive& receive, const Horizon& horizon) const {
  if (receive.final()) return {true, receive.time()};
  Time least = least_candidate(receive);
  const auto consider = [&](int source) {
    if (!has_candidate(receive, source)) least = std::min(least, horizon.next_arrival(source, receive.context));
  };
  if (receive.source != kAny) consider(receive.source);
  else std::ranges::for_each(horizon.sources(receive.context), consider);
  return {false, std::max(receive.post, least)};
}

Message& Matcher::take(Receive& receive) {
  Message& message = *receive.message;
  erase(queues_[static_cast<size_t>(message.key.source)], &message);
  erase(receives_, &receive);
  return message;
}

void Matcher::withdraw(Receive& receive, Time now) {
  const auto reopen = [](Receive& r) {
    if (r.final()) r.message->taker = nullptr;
    r.message = nullptr;
  };
  const auto at = std::find(receives_.begin(), receives_.end(), &receive);
  for (auto later = at + 1; later != receives_.end(); ++later) {
    if ((*later)->final() && (*later)->time() > now) reopen(**later);
  }
  reopen(receive);
  receives_.erase(at);
}

}  // namespace chan::match
