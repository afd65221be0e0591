// Sending: records into lanes, large messages in pieces through the window, a queue for what finds no room.
//
// A message that is large enough is offered if nothing waits before it (direct.cpp). Otherwise:
//
// A send is buffered as far as lane and window have room; what does not fit waits in the queue to its destination, in
// order, and is pushed on in every later call. So a standard send never fails, and two ranks that send to each other
// before they receive make progress: whoever is blocked takes in what comes (progress.cpp).
#include <base/copy.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <utility>

#include "../object/call.hpp"
#include "../object/call_site.hpp"
#include "choices.hpp"
#include "contexts.hpp"
#include "engine.hpp"
#include "out_of_memory.hpp"

namespace detmpi {

namespace {

uint32_t marker(uint32_t kind, const Comm& comm) { return kind | static_cast<uint32_t>(comm.rank) << 8; }

uint64_t arrival_stamp(int to, uint32_t context) {
  if (g_choices.plain()) [[likely]]
    return g_clock + g_job->lookahead;
  return g_choices.arrival(to, context, g_clock);
}

}  // namespace

// Of a record that `out` has reserved for the request. Where its first one is others see only now: before, records of
// other messages may have been in front.
void Engine::set_envelope(chan::Cell& cell, Request& request, const Outbound& out) {
  if (!request.started) request.position = out.lane.position();
  cell.aux = request.ack_id;
  cell.stamp = request.stamp;
  cell.bytes = request.data.size();
  cell.context = request.context;
  cell.tag = request.tag;
}

// Rings are carved out of runs of whole chunks, so that a job with many lanes does not waste frames.
spmc::EPageIndex Engine::carve(uint32_t pages) {
  if (ring_block_left_ < pages) {
    const uint32_t block = std::max(pages, spmc::kFramesPerChunk);
    auto run = pool_.try_alloc_run(block);
    if (!run) end_out_of_memory("messages");
    ring_block_ = run.value();
    ring_block_left_ = block;
  }
  const spmc::EPageIndex carved = ring_block_;
  ring_block_.value += pages;
  ring_block_left_ -= pages;
  return carved;
}

void Engine::open_lane(int to) {
  // A recycled frame may hold old data; cells must read as "not published".
  const uint32_t pages = std::max<uint32_t>(1, g_job->lane_cells * chan::kCellBytes / spmc::kPageSize);
  const spmc::EPageIndex ring = carve(pages);
  std::memset(spmc::segment::frame(ring), 0, size_t{g_job->lane_cells} * chan::kCellBytes);
  out_[static_cast<size_t>(to)].lane.start(lane_line(to, rank_), sent_word(rank_, to), ring, g_job->lane_cells,
                                           g_job->lines);
  const auto bit = static_cast<size_t>(rank_);
  inbox_word(to, bit / 64).fetch_or(uint64_t{1} << (bit % 64), std::memory_order_release);
}

// Once for each message, in the order in which they are sent.
inline void Engine::note_sent(int to, uint32_t context) {
  const uint64_t number = ++out_[static_cast<size_t>(to)].messages;
  if (!is_collective(context)) sent_places_.note(to, number, g_send_site);
}

uint64_t Engine::try_send_now(int to, const char* data, size_t bytes, int tag, const Comm& comm, uint32_t context,
                              bool blocks) {
  if (bytes > eager_bytes_ || to == rank_) return 0;
  Outbound& out = out_[static_cast<size_t>(to)];
  if (!out.waiting.empty()) return 0;
  if (!out.lane.open()) [[unlikely]]
    open_lane(to);
  const uint32_t cells = chan::LaneOut::cells_for(bytes);
  chan::Cell* cell = out.lane.try_reserve(cells);
  if (cell == nullptr) return 0;
  const uint64_t stamp = arrival_stamp(to, context);
  cell->aux = 0;
  cell->stamp = stamp;
  cell->bytes = bytes;
  cell->context = context;
  cell->tag = tag;
  std::byte* payload = cells == 1 ? cell->payload : reinterpret_cast<std::byte*>(cell + 1);
  if (bytes > 0) spmc::base::copy_memory(payload, data, bytes);  // an empty message may have no buffer
  out.lane.publish(cell, cells, marker(kRecordEager, comm), !blocks);
  wake_rank(to);
  note_sent(to, context);
  return stamp;
}

void Engine::send(Request& request) {
  note_sent(request.peer_world, request.context);
  if (request.peer_world == rank_) {
    send_to_self(request);
    return;
  }
  Outbound& out = out_[static_cast<size_t>(request.peer_world)];
  if (!out.lane.open()) open_lane(request.peer_world);
  request.post = g_clock;
  request.stamp = arrival_stamp(request.peer_world, request.context);
  if (request.mode == SendMode::kSynchronous) expect_ack(request);
  if (out.waiting.empty()) {
    if (try_offer(request, out)) return;
    if (push(request)) {
      if (request.complete && request.detached) delete_detached(request);
      return;
    }
  }
  queue_send(request);
}

void Engine::queue_send(Request& request) {
  const int to = request.peer_world;
  Outbound& out = out_[static_cast<size_t>(to)];
  if (out.waiting.empty()) blocked_to_.insert(std::lower_bound(blocked_to_.begin(), blocked_to_.end(), to), to);
  out.waiting.push(&request);
  limit_clock();
}

// The clock stays before the first send that is not visible yet. What is published of a wait depends on it.
void Engine::limit_clock() {
  const uint64_t before = std::exchange(g_clock_limit, chan::match::kNever);
  for (const int to : blocked_to_) {
    const Queue<Request>& waiting = out_[static_cast<size_t>(to)].waiting;
    const Request* request = waiting.first;
    while (request != nullptr && request->started) request = request->next;
    if (request != nullptr) g_clock_limit = std::min(g_clock_limit, request->post - 1);
  }
  if (g_clock_limit != before) ++changes_;
}

// Pushes as much of the message as there is room for. True when all of it is in the lane.
bool Engine::push(Request& request) {
  Outbound& out = out_[static_cast<size_t>(request.peer_world)];
  if (!request.started && !push_first(request, out)) return false;
  while (!request.pushed) {
    if (!push_piece(request, out)) return false;
  }
  return true;
}

bool Engine::push_first(Request& request, Outbound& out) {
  const size_t bytes = request.data.size();
  if (bytes > eager_bytes_) return push_piece(request, out);
  const uint32_t cells = chan::LaneOut::cells_for(bytes);
  chan::Cell* cell = out.lane.try_reserve(cells);
  if (cell == nullptr) return false;
  set_envelope(*cell, request, out);
  if (bytes > 0) {
    request.data.read_to_shared(cells == 1 ? cell->payload : reinterpret_cast<std::byte*>(cell + 1), bytes);
  }
  out.lane.publish(cell, cells, marker(kRecordEager, *request.comm), !request.blocking);
  request.started = true;
  finish_push(request);
  return true;
}

// One slab: the first (with the envelope) or a further piece.
bool Engine::push_piece(Request& request, Outbound& out) {
  chan::Cell* cell = out.lane.try_reserve(1);
  if (cell == nullptr) return false;
  const spmc::EPageIndex slab = window_.try_take();
  if (slab.none()) return false;
  const size_t n = std::min(request.data.left(), window_.slab_bytes());
  request.data.read_to_shared(spmc::segment::frame(slab), n);
  const SlabPiece piece{slab.value, static_cast<uint32_t>(n), request.offer};
  set_envelope(*cell, request, out);
  std::memcpy(cell->payload, &piece, sizeof piece);
  out.lane.publish(cell, 1, marker(request.started ? kRecordMore : kRecordSlab, *request.comm));
  request.started = true;
  if (request.data.left() > 0) {
    wake_rank(request.peer_world);
    return true;
  }
  finish_push(request);
  if (g_job->lines.fetched > 0) window_.fetch_next(n);
  return true;
}

void Engine::finish_push(Request& request) {
  request.pushed = true;
  request.complete = request.mode != SendMode::kSynchronous || request.matched;
  wake_rank(request.peer_world);
}

void Engine::push_waiting() {
  for (size_t i = 0; i < blocked_to_.size();) {
    Outbound& out = out_[static_cast<size_t>(blocked_to_[i])];
    while (!out.waiting.empty()) {
      Request* request = out.waiting.first;
      if (!push(*request)) break;
      out.waiting.take_after(nullptr);
      if (request->complete && request->detached) delete_detached(*request);
    }
    if (out.waiting.empty()) blocked_to_.erase(blocked_to_.begin() + static_cast<ptrdiff_t>(i));
    else ++i;
  }
  limit_clock();
}

void Engine::flush() {
  const auto in_our_hands = [](const SentOffer& sent) { return sent.request != nullptr; };
  for (SentOffer& sent : sent_) {
    if (in_our_hands(sent)) withdraw(*sent.request);
  }
  block({Wait::Kind::kPhysical}, kAnySource,
        [&] { return blocked_to_.empty() && std::none_of(std::begin(sent_), std::end(sent_), in_our_hands); });
}

// A message to oneself needs no lane: it is matched here and now, or becomes an unexpected message.
void Engine::send_to_self(Request& request) {
  Inbound& in = in_[static_cast<size_t>(rank_)];
  request.post = g_clock;
  request.stamp = arrival_stamp(rank_, request.context);
  const bool synchronous = request.mode == SendMode::kSynchronous;
  Message* message = &messages_.get();
  message->context = request.context;
  message->source = request.comm->rank;
  message->tag = request.tag;
  message->key = {first_come_ ? g_clock : request.stamp, rank_, ++in.messages};
  message->bytes = message->filled = request.data.size();
  if (message->bytes > 0) {
    message->ensure_room();
    request.data.read(message->room, message->bytes);
  }
  request.pushed = request.started = true;
  request.complete = !synchronous;
  ++changes_;
  if (synchronous) {
    expect_ack(request);
    message->ack_id = request.ack_id;
    note_synchronous(rank_, message->ack_id, message, nullptr);
  }
  Request* receive = match_posted(in, request.context, request.tag);
  const bool free_now = request.complete && request.detached;
  if (receive != nullptr) take_unexpected(*message, *receive);
  else matcher_.arrive(*message);
  if (synchronous) settle_acks();
  if (free_now) request_delete(request);
}

}  // namespace detmpi
