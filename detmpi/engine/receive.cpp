// Receiving: matching by MPI's rules. Per source, messages are in the order they were sent; receives are in the order
// they were posted; a message goes to the earliest posted receive that accepts it, a receive takes the earliest
// message.
#include <base/check.hpp>

#include <algorithm>

#include "../object/call.hpp"
#include "operation.hpp"
#include "p2p.hpp"

namespace detmpi {

// A blocking receive that has nothing to do but to wait for its message is not posted at once: that would be work after
// the message has come. Not for long, since this rank helps nobody meanwhile.
chan::Cell* Engine::await_record(chan::LaneIn& lane) {
  constexpr uint32_t kShortly = 64;
  chan::Cell* cell = lane.peek();
  if (cell != nullptr || !taken_.empty() || offers_used_ != 0 || !blocked_to_.empty()) return cell;
  spmc::base::spin_shortly(kShortly, [&] { return (cell = lane.peek()) != nullptr; });
  return cell;
}

bool Engine::try_receive_soon(int from, uint32_t context, int tag, char* data, size_t room, Received* received) {
  Inbound& in = in_[static_cast<size_t>(from)];
  const bool nothing_before = matcher_.no_messages(from) && in.posted.empty() && matcher_.no_receives();
  if (!nothing_before || !graced_.empty() || !late_.empty()) return false;
  if (!in.lane.open() && !in.lane.try_open(lane_line(rank_, from))) return false;
  chan::Cell* cell = await_record(in.lane);
  if (cell == nullptr) return false;
  const uint32_t marker = cell->marker.load(std::memory_order_relaxed);
  const bool ready = (marker & 0xff) == kRecordEager && cell->context == context && tag_matches(tag, cell->tag);
  const size_t bytes = cell->bytes;
  if (!ready || cell->aux != 0 || bytes > room) return false;
  *received = {static_cast<int>(marker >> 8), cell->tag, bytes, first_come_ ? g_clock : cell->stamp};
  if (bytes > 0) copy_bytes(data, chan::LaneIn::payload(cell, bytes), bytes);
  in.lane.pass(chan::LaneOut::cells_for(bytes));
  ++in.messages;
  wake_rank(from);
  return true;
}

void Engine::receive(Request& request) {
  request.post = g_clock;
  request.senders = senders_in(*request.comm);
  request.order = matcher_.next_order();
  ++changes_;
  request.prefer_nobody();  // it may be persistent
  if (!held_.empty()) [[unlikely]]
    settle_held_if_competing(request);
  if (!graced_.empty()) [[unlikely]] {
    take_grace_of_earlier(request);
    if (request.grace != 0 && !request.blocking) graced_.push_back({request, &request});
  }
  if (request.source == chan::match::kAny || (!matcher_.no_receives() && matcher_.is_contested(request))) {
    if (request.source == chan::match::kAny) note_from_any(request);
    request.contested = true;
    matcher_.put_back(request);
    if (!unacknowledged_.empty()) publish_next_match();
    if (first_come_) {
      poll_all();
      settle();
    } else if (request.blocking && request.usual != chan::match::kAny && matcher_.holds_only(request)) {
      settle(Horizon::Others(horizon_, rank_));  // what is known already is enough, as a rule
      if (!request.complete) poll_source(request.usual, &request);
    }
    return;
  }
  if (auto* message = static_cast<Message*>(matcher_.first_candidate(request, request.source))) {
    matcher_.take(*message);
    take_unexpected(*message, request);
    return;
  }
  in_[static_cast<size_t>(request.source)].posted.push(&request);
  if (request.blocking || is_worth_a_look(request)) poll_source(request.source, &request);
}

// Whether to look for the message of a receive that nobody waits for yet. To look costs as much as a message where that
// has not come, since the line of the lane is in the sender's cache. But who posts many must take in what there is now
// and then, and a large message may be copied by both ranks from now on.
bool Engine::is_worth_a_look(const Request& receive) {
  constexpr uint32_t kLookEvery = 16;
  return receive.data.size() > eager_bytes_ || ++receives_ % kLookEvery == 0;
}

void Engine::receive_since(Request& request, uint64_t post) {
  request.post = post;
  request.senders = senders_in(*request.comm);
  request.order = matcher_.next_order();
  ++changes_;
  if (auto* message = static_cast<Message*>(matcher_.first_candidate(request, request.source))) {
    matcher_.take(*message);
    take_unexpected(*message, request);
  } else {
    in_[static_cast<size_t>(request.source)].posted.push(&request);
  }
}

void Engine::give_up(Request& request, uint64_t time) {
  in_[static_cast<size_t>(request.source)].posted.take(&request);
  request.stamp = std::max(request.post, time);
  request.complete = true;
  ++changes_;
}

// Makes final what can be, and hands the messages over.
void Engine::settle(const chan::match::Horizon& horizon) {
  if (matcher_.no_receives()) return;
  matcher_.settle(horizon);
  while (chan::match::Receive* receive = matcher_.find_final()) {
    auto& message = static_cast<Message&>(matcher_.take(*receive));
    take_unexpected(message, static_cast<Request&>(*receive));
  }
  promote_uncontested();
}

void Engine::take_in_the_rest() {
  struct Nothing final : chan::match::Horizon {
    chan::match::Time next_arrival(int) const override { return chan::match::kNever; }
    chan::match::Time least_arrival() const override { return chan::match::kNever; }
  };
  poll_all();
  settle_held(false);
  settle(Nothing());
}

// A receive that nobody contests any longer is plain, and takes its message from the lane.
void Engine::promote_uncontested() {
  while (chan::match::Receive* receive = matcher_.find_uncontested()) {
    matcher_.take_out(*receive);
    in_[static_cast<size_t>(receive->source)].posted.push(static_cast<Request*>(receive));
  }
}

// May a cancel, of this receive or of an earlier one, still give it another message or none? MPI wants the buffer of a
// cancelled receive as it was, and nothing in others but their messages.
bool Engine::may_be_undone(const Request& request) const {
  return may_cancel_ && !request.blocking && !request.awaited && request.stamp > g_clock &&
         request.context == user_context(*request.comm);
}

// The receive has its message, for good unless a cancel takes it back.
void Engine::match(Request& request, const chan::match::Key& key, int source, int tag, uint64_t bytes) {
  request.matched = true;
  request.contested = false;
  request.message = nullptr;
  request.peer_world = key.source;
  request.matched_source = source;
  request.matched_tag = tag;
  request.number = key.number;
  request.arrival = key.arrival;
  request.stamp = std::max(request.due(key).arrival, request.post);
  request.bytes = bytes;
  request.truncated = bytes > request.data.size();
  request.kept_back = may_be_undone(request);
  if (request.kept_back || (request.truncated && !request.blocking)) {
    request.keep_whole();
    if (request.kept_back && request.given_up) late_.push_back(&request);
  }
  ++changes_;
}

void Engine::take_unexpected(Message& message, Request& request) {
  const int from = message.key.source;
  match(request, message.key, message.source, message.tag, message.bytes);
  if (message.filled > 0) request.write(message.room, message.filled);
  if (message.ack_id != 0) ack_for(message, request);
  const bool whole = message.filled == message.bytes;
  OfferName offer = {};
  if (!whole) {  // the rest goes straight into the program's buffer
    Inbound& in = in_[static_cast<size_t>(from)];
    Arrival& arrival = arrival_of(in, message);
    arrival.message = nullptr;
    arrival.request = &request;
    if (message.filled == 0) {
      offer = arrival.offer;
      in.offered.erase(in.offered.begin() + (&arrival - in.offered.data()));
    }
  }
  messages_.give_back(message);
  if (offer.table != 0) take_offer(from, offer, request);
  if (whole) message_complete(request);
}

// Where what is still to come of an unexpected message will go.
Arrival& Engine::arrival_of(Inbound& in, const Message& message) {
  if (in.arriving.message == &message) return in.arriving;
  const auto at =
      std::find_if(in.offered.begin(), in.offered.end(), [&](const Arrival& a) { return a.message == &message; });
  CHECK(at != in.offered.end(), "rank %d: nobody brings the rest of a message", rank_);
  return *at;
}

void Engine::message_complete(Request& request) {
  request.complete = true;
  if (request.first_of != nullptr) request.first_of->first_came();
  if (request.detached) delete_detached(request);
}

// A receive that nobody waits for stays until a cancel cannot take its message back any more, and a synchronous send
// until its time, of which MPI_Comm_disconnect may ask.
void Engine::delete_detached(Request& request) {
  if (request.ends_at_its_time() && (request.ack_due || request.stamp > g_clock)) return late_.push_back(&request);
  request.hand_over();
  request_delete(request);
}

void Engine::delete_late() {
  std::erase_if(late_, [](Request* request) {
    if (!request->complete || request->stamp > g_clock) return false;
    request->hand_over();
    if (request->ack_due) return false;
    if (!request->given_up) request_delete(*request);  // parts go with their operation
    return true;
  });
}

// Not those of which something is still to come, or that are to be acknowledged: others know of them.
void Engine::drop_messages(const Comm& comm) {
  std::vector<Message*> dropped;
  matcher_.each_occupied([&](int from) {
    for (const uint32_t context : {user_context(comm), collective_context(comm), partitioned_context(comm)}) {
      matcher_.each_message(from, context, [&](chan::match::Message& m) {
        auto& message = static_cast<Message&>(m);
        if (message.filled == message.bytes && message.ack_id == 0) dropped.push_back(&message);
      });
    }
  });
  for (Message* message : dropped) {
    matcher_.take(*message);
    messages_.give_back(*message);
  }
}

// The earliest plain receive that accepts a message of this source; it leaves its queue.
Request* Engine::match_posted(Inbound& in, uint32_t context, int tag) {
  Request* before = nullptr;
  for (Request* r = in.posted.first; r != nullptr; r = r->next) {
    if (r->context == context && tag_matches(r->tag, tag)) return in.posted.take_after(before);
    before = r;
  }
  return nullptr;
}

}  // namespace detmpi
