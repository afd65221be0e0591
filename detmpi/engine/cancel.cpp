// Taking a receive back: what it has, and what later receives have that might change for it, returns to the queues.
//
// A match whose time of completion is still to come is provisional, although its bytes may be in the program's buffer
// already. So they are put together to a message again. Rare: programs cancel what nobody has sent.
#include <base/check.hpp>
#include <base/copy.hpp>

#include <algorithm>
#include <cstdlib>

#include "../object/call.hpp"
#include "operation.hpp"

namespace detmpi {
namespace {

// Out of the buffers it was received into.
Message* message_of(Request& request, MessagePool& messages) {
  Message* message = &messages.get();
  message->context = request.context;
  message->key = {request.arrival, request.peer_world, request.number};
  message->source = request.matched_source;
  message->tag = request.matched_tag;
  message->bytes = message->filled = request.bytes;
  if (request.bytes > 0) {
    message->ensure_room();
    request.data.rewind();
    if (request.own_buffer != nullptr) spmc::base::copy_memory(message->room, request.own_buffer, request.bytes);
    else request.data.read(message->room, request.bytes);
  }
  return message;
}

}  // namespace

bool Engine::is_provisional(const Request& r) {
  return r.kind == RequestKind::kRecv && r.active && r.matched && !r.cancelled && r.peer != MPI_PROC_NULL &&
         r.stamp > g_clock;
}

void Engine::return_message(Request& request) {
  Message* message = message_of(request, messages_);
  for (Unacknowledged& entry : unacknowledged_) {
    if (entry.request != &request) continue;
    entry.request = nullptr;
    entry.message = message;
    message->ack_id = entry.id;
  }
  matcher_.put_back(*message);
  request.data.rewind();
  request.matched = request.complete = request.truncated = request.ack_due = request.kept_back = false;
  std::free(request.own_buffer);
  request.own_buffer = nullptr;
  std::erase(late_, &request);
}

void Engine::take_back(Request& cancelled) {
  const auto returns = [&](const Request& r) {
    return is_provisional(r) && r.context == cancelled.context && r.order >= cancelled.order;
  };
  // Meanwhile others may become so.
  block({Wait::Kind::kPhysical}, kAnySource, [&] {
    bool all_there = true;
    each_message([&](const Request& r) { all_there = all_there && (!returns(r) || r.complete); });
    return all_there;
  });
  std::vector<Request*> open;
  each_message([&](Request& r) {
    if (returns(r)) open.push_back(&r);
  });
  if (!cancelled.matched) {
    if (cancelled.plain()) in_[static_cast<size_t>(cancelled.source)].posted.take(&cancelled);
    else matcher_.take_out(cancelled);
  }
  // Plain receives that have nothing yet may get what comes back.
  for (Inbound& in : in_) {
    while (!in.posted.empty()) open.push_back(in.posted.take_after(nullptr));
  }
  for (Request* r : open) {
    if (r->matched) return_message(*r);
    if (r == &cancelled) continue;
    r->contested = true;
    matcher_.put_back(*r);
  }
  cancelled.cancelled = cancelled.complete = cancelled.matched = true;
  cancelled.contested = false;
  cancelled.stamp = g_clock;
  ++changes_;
  settle();
  settle_acks();
}

}  // namespace detmpi
