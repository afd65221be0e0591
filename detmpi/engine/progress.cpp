// Progress: reading lanes.
#include <base/check.hpp>
#include <base/cores.hpp>

#include <algorithm>

#include "../object/call.hpp"
#include "choices.hpp"
#include "engine.hpp"
#include "events.hpp"
#include "referenced.hpp"

namespace detmpi {

Engine g_engine;

void Engine::start(int rank) {
  rank_ = rank;
  ranks_ = static_cast<int>(g_job->ranks);
  sent_places_.keep(SentPlaces::kAsARule);
  const unsigned cores = spmc::base::usable_cores();
  crowded_ = static_cast<unsigned>(ranks_) > cores;
  if (crowded_ && spmc::base::g_home_core >= 0) {
    turn_cores_ = static_cast<int>(cores);
    turn_core_ = spmc::base::nth_usable_core(static_cast<unsigned>(spmc::base::g_home_core));
  }
  wait_line_ = &spmc::segment::space_slot(space_of_rank(rank)).wait;
  pool_ = spmc::FramePool(space_of_rank(rank));
  window_ = chan::SlabWindow(pool_, g_job->slab_pages, g_job->slab_step, g_job->slab_soon, g_job->slab_limit);
  eager_bytes_ = std::min<uint64_t>(chan::LaneOut::max_payload(g_job->lane_cells), g_job->from_slab - 1);
  direct_from_ = g_job->direct_from;
  first_come_ = g_job->first_come != 0;
  matcher_ = chan::match::Matcher(ranks_);
  horizon_.start(rank, ranks_, g_job->lookahead, first_come_);
  publisher_ = Publisher(rank, pool_);
  polls_before_publishing_ = crowded_ ? 1 : kPollsBeforePublishing;
  g_note_events = g_job->keep_digest != 0;
  strict_sends_ = g_job->strict_sends != 0;
  look_at_sends_ = strict_sends_;
  may_cancel_ = !first_come_ && program_may_cancel();
  g_choices.start(first_come_ ? 0 : g_job->seed, rank, g_job->lookahead);
  clock_line(rank).next_match.store(chan::match::kNever, std::memory_order_release);
  out_.resize(static_cast<size_t>(ranks_));
  in_.resize(static_cast<size_t>(ranks_));
  seen_.assign(g_job->inbox_words, 0);
}

void Engine::learn_sources() {
  for (size_t word = 0; word < seen_.size(); ++word) {
    uint64_t fresh = inbox_word(rank_, word).load(std::memory_order_acquire) & ~seen_[word];
    while (fresh != 0) {
      const int from = static_cast<int>(word * 64) + __builtin_ctzll(fresh);
      fresh &= fresh - 1;
      seen_[word] |= uint64_t{1} << (from % 64);
      Inbound& in = in_[static_cast<size_t>(from)];
      if (!in.known) sources_.insert(std::lower_bound(sources_.begin(), sources_.end(), from), from);
      in.known = true;
      if (!in.lane.open()) in.lane.try_open(lane_line(rank_, from));
    }
  }
}

void Engine::poll_all(const Request* until) {
  learn_sources();
  for (size_t i = 0; i < sources_.size(); ++i) {
    poll_source(sources_[i], until);
    if (until != nullptr && until->complete) break;
  }
  if (offers_used_ != 0) advance_offers();
  if (!blocked_to_.empty()) push_waiting();
  if (!late_.empty()) delete_late();
}

// Takes in the records of one lane: all that were there, or until `until` is complete. Not those that come meanwhile,
// if they are as many as there is room for: a rank that sends for ever would keep this one from everything else.
void Engine::poll_source(int from, const Request* until) {
  Inbound& in = in_[static_cast<size_t>(from)];
  if (!taken_.empty()) [[unlikely]]
    advance_taken();
  if (!in.lane.open() && (from == rank_ || !in.lane.try_open(lane_line(rank_, from)))) return;
  for (uint32_t left = g_job->lane_cells; left > 0; --left) {
    chan::Cell* cell = in.lane.peek();
    if (cell == nullptr) return;
    take_record(from, in, cell);
    if (until != nullptr && until->complete) return;
  }
}

// A full lane of acknowledgements wakes its sender several times: the last time there is room for the largest record,
// which takes up half of a lane at most with what it leaves free before it. Each would be too many, as their sender
// mostly waits for something else.
constexpr uint32_t kWakesPerLane = 8;

void Engine::take_record(int from, Inbound& in, chan::Cell* cell) {
  publisher_.run();  // before it is passed
  ++changes_;
  const uint32_t kind = cell->marker.load(std::memory_order_relaxed) & 0xff;
  switch (kind) {
    case kRecordEager:
      take_message(from, in, cell, kind);
      in.lane.pass(chan::LaneOut::cells_for(cell->bytes));
      break;
    case kRecordSlab:
    case kRecordOffer:
      take_message(from, in, cell, kind);
      in.lane.pass(1);
      break;
    case kRecordMore:
      take_piece(from, in, cell);
      in.lane.pass(1);
      break;
    case kRecordAck:
      take_ack(cell->aux, cell->stamp);
      in.lane.pass(1);
      if (++in.acks < g_job->lane_cells / kWakesPerLane) return;
      break;
    default: CHECK(false, "rank %d: a record of unknown kind %u from rank %d", rank_, kind, from);
  }
  // The sender may be asleep for want of room.
  in.acks = 0;
  wake_rank(from);
}

// The receive from any source, or behind such, of which a message that has just come is the one for certain. It leaves
// the matcher.
Request* Engine::match_at_once(const chan::Cell& cell, const chan::match::Key& key) {
  chan::match::Message message;
  message.context = cell.context;
  message.tag = cell.tag;
  message.key = key;
  auto* request = static_cast<Request*>(matcher_.taker_at_once(message, Horizon::Acting(horizon_, rank_, g_clock + 1)));
  if (request != nullptr) matcher_.take_out(*request);
  return request;
}

// A new message: into the receive that waits for it, or into memory of its own.
void Engine::take_message(int from, Inbound& in, chan::Cell* cell, uint32_t kind) {
  const uint64_t bytes = cell->bytes;
  const int source = static_cast<int>(cell->marker.load(std::memory_order_relaxed) >> 8);
  const chan::match::Key key{first_come_ ? g_clock : cell->stamp, from, ++in.messages};
  // All decisions rest on it. The fast ways of named receives, which need no bounds, do not pay for that.
  if (g_note_events && !first_come_) {
    CHECK(key.arrival >= horizon_.next_arrival(from),
          "a message from rank %d comes at %lu, and none was to come "
          "before %lu; this is a defect of DetMPI, please report it",
          from, key.arrival, horizon_.next_arrival(from));
  }
  if (cell->aux != 0) lower_next_match(key.arrival);
  Request* request = match_posted(in, cell->context, cell->tag);
  if (request == nullptr && !matcher_.no_receives()) request = match_at_once(*cell, key);
  Message* message = nullptr;
  if (request != nullptr) {
    match(*request, key, source, cell->tag, bytes);
  } else {
    message = &messages_.get();
    message->context = cell->context;
    message->key = key;
    message->source = source;
    message->tag = cell->tag;
    message->bytes = bytes;
    message->ack_id = cell->aux;
    matcher_.arrive(*message);
  }
  if (cell->aux != 0) note_synchronous(from, cell->aux, message, request);
  if (kind == kRecordOffer) {
    OfferName offer;
    std::memcpy(&offer, cell->payload, sizeof offer);
    if (request != nullptr) take_offer(from, offer, *request);
    else in.offered.push_back({nullptr, message, bytes, offer});
    return;
  }
  if (kind == kRecordSlab) {
    in.arriving = {request, message, bytes, {}};
    take_piece(from, in, cell);
    return;
  }
  const std::byte* payload = chan::LaneIn::payload(cell, bytes);
  if (request != nullptr) {
    if (bytes > 0) request->write(payload, bytes);
    message_complete(*request);
  } else {
    message->append(payload, bytes);
  }
}

// Of a message that was offered and now comes by pieces.
Arrival& Engine::offered_arrival(int from, Inbound& in, uint32_t entry) {
  const auto at =
      std::find_if(in.offered.begin(), in.offered.end(), [entry](const Arrival& a) { return a.offer.entry == entry; });
  CHECK(at != in.offered.end(), "rank %d: a piece of a message that rank %d has not offered", rank_, from);
  return *at;
}

void Engine::take_piece(int from, Inbound& in, const chan::Cell* cell) {
  SlabPiece piece;
  std::memcpy(&piece, cell->payload, sizeof piece);
  const spmc::EPageIndex slab{piece.slab};
  Arrival* arrival = piece.offer == 0 ? &in.arriving : &offered_arrival(from, in, piece.offer - 1);
  CHECK(piece.bytes <= arrival->to_come && piece.bytes <= window_.slab_bytes(), "a piece is larger than its message");
  arrival->to_come -= piece.bytes;
  const std::byte* data = spmc::segment::frame(slab);
  if (arrival->request != nullptr) arrival->request->write(data, piece.bytes);
  else arrival->message->append(data, piece.bytes);
  chan::SlabWindow::release(slab);
  if (arrival->to_come > 0) return;
  Request* request = arrival->request;
  if (piece.offer == 0) {
    *arrival = {};
  } else {
    offer_at(arrival->offer).state.store(OfferState::kFinished, std::memory_order_release);
    in.offered.erase(in.offered.begin() + (arrival - in.offered.data()));
  }
  if (request != nullptr) message_complete(*request);
}

// A standard send that blocks is no event: whether it was a request at all depends on how much room there was. Nor is
// it an event which message a cancelled receive would have got: it may have come, or not yet.
void Engine::note_completion(const Request& request) {
  const bool receive = request.kind == RequestKind::kRecv;
  if (!receive && request.blocking && request.mode == SendMode::kStandard) return;
  Event event{.kind = EventKind::kCancelled, .bytes = 1, .time = g_clock};
  if (!request.cancelled) {
    event = {receive ? EventKind::kGot : EventKind::kSent, request.matched_source, request.matched_tag, request.bytes,
             request.stamp};
  }
  event.context = request.context;
  if (g_log_events && event.kind == EventKind::kGot) event.content = content_of(request.data, request.bytes);
  fold_answer(event);
}

void Engine::observe(Request& request) {
  const bool receive = request.kind == RequestKind::kRecv;
  if (receive) {
    note_seen(request);
    request.hand_over();
  }
  if (receive || request.mode == SendMode::kSynchronous) g_clock = std::max(g_clock, request.stamp);
  if (!late_.empty()) [[unlikely]]
    delete_late();  // what came before this, the program may know to have come
  if (!receive && request.mode == SendMode::kSynchronous) end_output_epoch();
  if (g_note_events) [[unlikely]]
    note_completion(request);
  if (request.ack_due) [[unlikely]] {
    settle_acks();
    block({Wait::Kind::kPhysical}, kNoLane, [&] {
      if (request.ack_due) settle_acks();
      return !request.ack_due;
    });
  }
  announce_if_due();
}

uint64_t Engine::messages_taken() const {
  uint64_t taken = 0;
  for (const Inbound& in : in_) taken += in.messages;
  return taken;
}

uint64_t Engine::messages_waiting() const {
  uint64_t waiting = 0;
  for (int from = 0; from < ranks_; ++from) {
    matcher_.each_message(from, [&waiting](const chan::match::Message&) { ++waiting; });
  }
  return waiting;
}

}  // namespace detmpi
