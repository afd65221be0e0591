// What is known of requests: the times on which calls decide (chan/match/decide.hpp).
#include <algorithm>

#include "../object/call.hpp"
#include "engine.hpp"
#include "operation.hpp"

namespace detmpi {

using chan::match::later;
using chan::match::Outlook;

// An operation is complete when the last of its parts is.
Outlook Engine::outlook_of_parts(const Request& r, const chan::match::Horizon& horizon) const {
  if (r.operation->open()) return {false, chan::match::kNever};
  Outlook all{true, r.post};
  if (const Request* first = r.operation->first()) all = {false, std::max(r.post, outlook(*first, horizon).time)};
  for (const Request& part : r.operation->parts()) {
    const Outlook o = outlook(part, horizon);
    all.final = all.final && o.final;
    all.time = std::max(all.time, o.time);
  }
  return all;
}

// Of a synchronous message to this rank itself. A receive that is pending takes it, or one that is posted by the rank's
// next action; nobody else can be asked about that.
uint64_t Engine::earliest_own_ack(const Request& send, const chan::match::Horizon& horizon) const {
  const auto is_its = [&](const Unacknowledged& entry) { return entry.from == rank_ && entry.id == send.ack_id; };
  const auto entry = std::ranges::find_if(unacknowledged_, is_its);
  if (entry == unacknowledged_.end()) return 0;          // it has not been taken in
  const uint64_t arrival = horizon.next_arrival(rank_);  // of what is sent by the next action
  const uint64_t action = arrival == chan::match::kNever ? arrival : arrival - g_job->lookahead;
  return later(std::min(next_match_of(*entry), action), chan::match::kAckLatency);
}

Outlook Engine::outlook(const Request& r, const chan::match::Horizon& horizon) const {
  if (r.kind == RequestKind::kGeneral && !r.complete) return {false, chan::match::kNever};
  if (r.kind == RequestKind::kSend) {
    if (r.mode != SendMode::kSynchronous || r.matched || r.complete) {
      return {true, r.mode == SendMode::kSynchronous ? r.stamp : r.post};
    }
    if (first_come_) return {false, chan::match::kNever};
    const uint64_t bound = r.peer_world == rank_ ? earliest_own_ack(r, horizon) : r.bound;
    return {false, std::max(bound, later(r.stamp, chan::match::kAckLatency))};
  }
  if (r.kind == RequestKind::kOperation) return outlook_of_parts(r, horizon);
  if (r.matched || r.complete) return {true, r.stamp};
  if (r.plain()) return {false, std::max(r.post, horizon.next_arrival(r.source))};
  return matcher_.outlook(r, horizon);
}

// Looks, for a test, at those who may send to the receive what comes by then, for all that is known, and takes in what
// they have sent. The clock first, the lane then: see learn().
void Engine::look_for(const chan::match::Receive& receive, uint64_t by) {
  const auto look_at = [&](int source) {
    if (!first_come_ && !horizon_.wanting(source, by)) return;
    horizon_.look(source, by);
    poll_source(source, nullptr);
    horizon_.adopt(source);
  };
  if (receive.source != chan::match::kAny) return look_at(receive.source);
  horizon_.set_self(g_clock + 1);
  if (horizon_.none_wanting(by)) return;
  std::ranges::for_each(receive.senders, look_at);
  horizon_.find_least();
}

void Engine::look_for_parts(const Wait& wait) {
  each_part(wait, [&](const Request& r) {
    if (r.matched || r.complete) return;
    if (r.kind == RequestKind::kRecv) look_for(r, wait.until());
    else if (r.kind == RequestKind::kSend && first_come_) poll_source(r.peer_world, nullptr);  // the acknowledgement
  });
  if (wait.probe != nullptr) look_for(*wait.probe, wait.until());
  look_for_lost_parts(wait);
}

// After the looks at the clocks: a member that is not seen to be lost by now is lost later than they say. Who waits for
// all requests has waited for this before.
void Engine::look_for_lost_parts(const Wait& wait) {
  for (Operation* operation : wait.operations) operation->look_for_lost_parts();
}

}  // namespace detmpi
