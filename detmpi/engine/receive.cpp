// Receiving: matching by MPI's rules. Per source, messages are in the order they were sent; receives are in the order
// they were posted; a message goes to the earliest posted receive that accepts it, a receive takes the earliest
// message.
#include <base/check.hpp>

#include <algorithm>
#include <cstdlib>

#include "../object/call.hpp"
#include "engine.hpp"

namespace detmpi {

bool Engine::try_receive_now(Request& request) {
  Inbound& in = in_[static_cast<size_t>(request.peer_world)];
  if (!in.unexpected.empty() || !in.posted.empty() || !posted_any_.empty()) return false;
  if (!in.lane.open() && !in.lane.try_open(lane_line(rank_, request.peer_world))) return false;
  chan::Cell* cell = in.lane.peek();
  if (cell == nullptr) return false;
  const uint32_t marker = cell->marker.load(std::memory_order_relaxed);
  if ((marker & 0xff) != kRecordEager || cell->context != request.context || !tag_matches(request.tag, cell->tag) ||
      cell->aux != 0) {
    return false;
  }
  const size_t bytes = cell->bytes;
  request.source = static_cast<int>(marker >> 8);
  request.matched_tag = cell->tag;
  request.stamp = cell->stamp;
  request.bytes = bytes;
  request.truncated = bytes > request.data.size();
  if (bytes > 0) request.data.write(chan::LaneIn::payload(cell, bytes), bytes);
  in.lane.pass(chan::LaneOut::cells_for(bytes));
  wake_rank(request.peer_world);
  request.complete = true;
  return true;
}

void Engine::receive(Request& request) {
  request.post = ++posts_;
  request.posted_at = g_clock;
  const bool any = request.peer == MPI_ANY_SOURCE;
  Message* message = find_unexpected(any ? -1 : request.peer_world, request.context, request.tag, any);
  if (message != nullptr) {
    take_unexpected(*message, request);
    return;
  }
  if (any) {
    posted_any_.push(&request);
  } else {
    in_[static_cast<size_t>(request.peer_world)].posted.push(&request);
    poll_source(request.peer_world, &request);
  }
}

Message* Engine::first_match(Inbound& in, uint32_t context, int tag) {
  for (Message* m = in.unexpected.first; m != nullptr; m = m->next) {
    if (m->context == context && tag_matches(tag, m->tag)) return m;
  }
  return nullptr;
}

Message* Engine::find_unexpected(int peer_world, uint32_t context, int tag, bool any_source) {
  if (!any_source) return first_match(in_[static_cast<size_t>(peer_world)], context, tag);
  poll_all();
  Message* best = nullptr;
  for (const int from : sources_) {
    Message* m = first_match(in_[static_cast<size_t>(from)], context, tag);
    if (m != nullptr && (best == nullptr || m->stamp < best->stamp)) best = m;
  }
  return best;
}

void Engine::unlink_unexpected(Message& message) {
  Queue<Message>& list = in_[static_cast<size_t>(message.source_world)].unexpected;
  Message* before = nullptr;
  for (Message* m = list.first; m != &message; m = m->next) before = m;
  list.take_after(before);
}

// The message is in its source's list, or was taken out of it by MPI_Mprobe.
void Engine::take_unexpected(Message& message, Request& request) {
  if (message.handle == MPI_MESSAGE_NULL) unlink_unexpected(message);
  request.source = message.source;
  request.matched_tag = message.tag;
  request.stamp = std::max(message.stamp, request.posted_at);
  request.bytes = message.bytes;
  request.truncated = message.bytes > request.data.size();
  if (message.filled > 0) request.data.write(message.data, message.filled);
  const uint32_t ack_id = message.ack_id;
  const int from = message.source_world;
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
  std::free(message.data);
  delete &message;
  if (ack_id != 0) acknowledge(from, ack_id, request.stamp + g_job->lookahead);
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
  if (request.detached) request_delete(request);
}

// The earliest posted receive that accepts a message of this source; it leaves its queue.
Request* Engine::match_posted(Inbound& in, uint32_t context, int tag) {
  const auto find = [&](Queue<Request>& queue, Request*& before) -> Request* {
    before = nullptr;
    for (Request* r = queue.first; r != nullptr; r = r->next) {
      if (r->context == context && tag_matches(r->tag, tag)) return r;
      before = r;
    }
    return nullptr;
  };
  Request* before_named = nullptr;
  Request* named = find(in.posted, before_named);
  if (posted_any_.empty()) [[likely]]
    return named == nullptr ? nullptr : in.posted.take_after(before_named);
  Request* before_any = nullptr;
  Request* any = find(posted_any_, before_any);
  if (any == nullptr && named == nullptr) return nullptr;
  if (any == nullptr || (named != nullptr && named->post < any->post)) return in.posted.take_after(before_named);
  return posted_any_.take_after(before_any);
}

}  // namespace detmpi
