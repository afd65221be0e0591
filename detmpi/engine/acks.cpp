// Acknowledgements of synchronous messages.
//
// The time of one is that of the match, plus the latency. It is sent once the match can no longer be undone by a
// cancel: at the match where the receive blocks, else when this rank cannot act before the match any more. What has not
// been acknowledged is told to others as `next match` (chan/match/snapshot.hpp).
#include <algorithm>

#include "../object/call.hpp"
#include "engine.hpp"
#include "watchers.hpp"

namespace detmpi {

// Names the send in its acknowledgement.
void Engine::expect_ack(Request& request) {
  const auto slot = std::find(acks_.begin(), acks_.end(), nullptr);
  request.ack_id = static_cast<uint32_t>(slot - acks_.begin()) + 1;
  if (slot == acks_.end()) acks_.push_back(&request);
  else *slot = &request;
  ++acks_expected_;
}

void Engine::note_synchronous(int from, uint32_t id, Message* message, Request* request) {
  unacknowledged_.push_back({from, id, message, request});
  if (request != nullptr) request->ack_due = true;
}

// An unexpected message that is to be acknowledged was matched. Others must know before they see the next clock: what
// they knew so far may be that no receive accepts it.
void Engine::ack_for(Message& message, Request& request) {
  lower_next_match(request.stamp);
  for (Unacknowledged& entry : unacknowledged_) {
    if (entry.message != &message) continue;
    entry.message = nullptr;
    entry.request = &request;
    request.ack_due = true;
  }
}

bool Engine::may_acknowledge(const Request& request) const {
  return request.blocking || request.stamp <= (cancelling_ ? g_clock : std::max(g_clock, horizon_.self()));
}

bool Engine::try_acknowledge(const Unacknowledged& entry) {
  const uint64_t stamp = entry.request->stamp + chan::match::kAckLatency;
  if (entry.from == rank_) {
    publisher_.run();  // what is published may be that this rank waits for it, and the next match is about to be raised
    take_ack(entry.id, stamp);
    return true;
  }
  Outbound& out = out_[static_cast<size_t>(entry.from)];
  if (!out.lane.open()) open_lane(entry.from);
  chan::Cell* cell = out.lane.try_reserve(1);
  acks_lack_room_ = acks_lack_room_ || cell == nullptr;
  if (cell == nullptr) return false;
  cell->aux = entry.id;
  cell->stamp = stamp;
  cell->bytes = 0;
  out.lane.publish(cell, 1, kRecordAck);
  ++control_messages_;
  wake_rank(entry.from);
  return true;
}

void Engine::settle_acks() {
  acks_lack_room_ = false;
  std::erase_if(unacknowledged_, [&](const Unacknowledged& entry) {
    if (entry.request == nullptr || !may_acknowledge(*entry.request) || !try_acknowledge(entry)) return false;
    entry.request->ack_due = false;
    ++changes_;
    return true;
  });
  publish_next_match();
}

// A message that a matched probe has taken is no receive's that is pending: its match is an action of this rank.
uint64_t Engine::next_match_of(const Unacknowledged& entry) const {
  if (entry.request != nullptr) return entry.request->stamp;
  return entry.message->handle == MPI_MESSAGE_NULL ? matcher_.wanted_at(*entry.message) : chan::match::kNever;
}

// Raised only after the acknowledgement is in its lane.
void Engine::publish_next_match() {
  uint64_t next = chan::match::kNever;
  for (const Unacknowledged& entry : unacknowledged_) next = std::min(next, next_match_of(entry));
  std::atomic<uint64_t>& mine = clock_line(rank_).next_match;
  if (mine.load(std::memory_order_relaxed) == next) return;
  mine.store(next, std::memory_order_release);
  wake_watchers(rank_);
}

// Before the message is taken out of its lane.
void Engine::lower_next_match(uint64_t arrival) {
  std::atomic<uint64_t>& mine = clock_line(rank_).next_match;
  if (arrival < mine.load(std::memory_order_relaxed)) mine.store(arrival, std::memory_order_release);
}

void Engine::take_ack(uint32_t id, uint64_t stamp) {
  Request* request = acks_.at(id - 1);
  acks_[id - 1] = nullptr;
  --acks_expected_;
  request->stamp = first_come_ ? g_clock : stamp;
  request->matched = true;
  if (request->pushed) message_complete(*request);
}

}  // namespace detmpi
