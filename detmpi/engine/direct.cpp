// Messages from buffer to buffer: see offer.hpp.
#include <base/check.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <cerrno>

#include "engine.hpp"
#include "operation.hpp"

namespace detmpi {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

// The largest piece: the rank that is done first waits at most for the copying of one.
constexpr uint64_t kMostPieceBytes = 1u << 20;

// Looks at an offer between two rounds of everything else: a receive that is there already answers at once.
constexpr int kQuickLooks = 32;

// How long a blocking send waits for its receive before it goes through the window: about as long as the copy into the
// window takes, so that waiting in vain costs at most twice the time.
constexpr uint64_t kLeastPatienceNs = 2'000;
constexpr uint64_t kMostPatienceNs = 1'000'000;
uint64_t patience_ns(uint64_t bytes) { return std::min(kLeastPatienceNs + bytes / 8, kMostPatienceNs); }

bool change_state(Offer& offer, OfferState from, OfferState to) {
  return offer.state.compare_exchange_strong(from, to, std::memory_order_acq_rel);
}

void plan_pieces(Offer& offer, const void* to, uint64_t bytes) {
  const uint64_t half = (bytes / 2 + spmc::kPageSize - 1) & ~(spmc::kPageSize - 1);
  offer.to = reinterpret_cast<uint64_t>(to);
  offer.bytes = bytes;
  offer.piece_bytes = std::clamp<uint64_t>(half, spmc::kPageSize, kMostPieceBytes);
  offer.pieces = static_cast<uint32_t>((bytes + offer.piece_bytes - 1) / offer.piece_bytes);
}

}  // namespace

// --- sender ---

// For a message that nothing waits in front of: whoever then waits for it withdraws it in time (await_taker).
bool Engine::try_offer(Request& request, Outbound& out) {
  const size_t bytes = request.data.size();
  if (bytes < (request.one_way ? direct_from_.one_way : direct_from_.pending)) return false;
  if (request.data.flat() == nullptr || ~offers_used_ == 0) return false;
  if (bytes < direct_from_.surely && !out.medium.is_direct(spmc::base::monotonic_ns)) return false;
  chan::Cell* cell = out.lane.try_reserve(1);
  if (cell == nullptr) return false;
  if (offer_table_.none()) {
    offer_table_ = carve(1);
    std::memset(static_cast<void*>(spmc::segment::frame(offer_table_)), 0, spmc::kPageSize);
  }
  const auto entry = static_cast<uint32_t>(__builtin_ctz(~offers_used_));
  const OfferName name{offer_table_.value, entry};
  Offer& offer = offer_at(name);
  offer.from = reinterpret_cast<uint64_t>(request.data.flat());
  offer.claims.store(0, relaxed);
  offer.done.store(0, relaxed);
  offer.failure.store(0, relaxed);
  offer.state.store(OfferState::kOffered, relaxed);
  offers_used_ |= 1u << entry;
  sent_[entry] = {&request, request.peer_world};
  set_envelope(*cell, request, out);
  std::memcpy(cell->payload, &name, sizeof name);
  out.lane.publish(cell, 1, kRecordOffer | static_cast<uint32_t>(request.comm->rank) << 8);
  request.started = true;
  request.offer = entry + 1;
  wake_rank(request.peer_world);
  return true;
}

void Engine::advance_offers() {
  for (uint32_t left = offers_used_; left != 0; left &= left - 1) {
    advance_offer(static_cast<uint32_t>(__builtin_ctz(left)));
  }
}

void Engine::advance_offer(uint32_t entry) {
  Offer& offer = offer_at({offer_table_.value, entry});
  SentOffer& sent = sent_[entry];
  switch (offer.state.load(acquire)) {
    case OfferState::kTaken:
      copy_pieces(offer, OfferSide::kSender, sent.to);
      if (sent.request != nullptr && all_pieces_done(offer) && offer.failure.load(relaxed) == 0) offer_copied(sent);
      break;
    case OfferState::kByPieces:
      learn_failure(offer.failure.load(relaxed));
      if (sent.request != nullptr) send_by_pieces(sent);
      break;
    case OfferState::kFinished:
      if (sent.request != nullptr) offer_copied(sent);
      offer.state.store(OfferState::kFree, relaxed);
      offers_used_ &= ~(1u << entry);
      break;
    case OfferState::kOffered:
    case OfferState::kFree: break;
  }
}

// The buffer is the program's again.
void Engine::offer_copied(SentOffer& sent) {
  Request& request = *sent.request;
  sent.request = nullptr;
  request.offer = 0;
  request.pushed = true;
  if (request.mode == SendMode::kSynchronous && !request.matched) return;  // the acknowledgement completes it
  request.complete = true;
  if (request.detached) delete_detached(request);
}

void Engine::send_by_pieces(SentOffer& sent) {
  queue_send(*sent.request);
  sent.request = nullptr;
}

void Engine::withdraw(Request& request) {
  if (request.kind == RequestKind::kOperation) {
    for (Request& part : request.operation->parts()) withdraw(part);
    return;
  }
  if (request.offer == 0) return;
  const uint32_t entry = request.offer - 1;
  SentOffer& sent = sent_[entry];
  if (sent.request != &request) return;
  if (change_state(offer_at({offer_table_.value, entry}), OfferState::kOffered, OfferState::kByPieces)) {
    send_by_pieces(sent);
    push_waiting();
  }
}

void Engine::await_taker(Request& request) {
  const uint32_t entry = request.offer - 1;
  const Offer& offer = offer_at({offer_table_.value, entry});
  const auto is_open = [&] {
    return sent_[entry].request == &request && offer.state.load(acquire) == OfferState::kOffered;
  };
  const uint64_t until = spmc::base::monotonic_ns() + patience_ns(request.data.size());
  while (is_open()) {
    for (int look = 0; look < kQuickLooks; ++look) {
      if (!is_open()) break;
    }
    if (!is_open()) break;
    poll_all();
    if (is_open() && spmc::base::monotonic_ns() >= until) withdraw(request);
    else if (crowded_) spmc::base::yield_core();
  }
  advance_offer(entry);
}

// --- receiver ---

// The receive that takes the offered message of rank `from`.
void Engine::take_offer(int from, OfferName name, Request& request) {
  Offer& offer = offer_at(name);
  const bool whole_kept = request.own_buffer != nullptr;
  if (!whole_kept && (request.data.flat() != nullptr || request.data.size() == 0)) {
    plan_pieces(offer, request.data.flat(), std::min<uint64_t>(request.bytes, request.data.size()));
    if (change_state(offer, OfferState::kOffered, OfferState::kTaken)) {
      copy_pieces(offer, OfferSide::kReceiver, from);
      taken_.push_back({name, from, &request});
      advance_taken();
      return;
    }
  } else if (change_state(offer, OfferState::kOffered, OfferState::kByPieces)) {
    wake_rank(from);
  }
  in_[static_cast<size_t>(from)].offered.push_back({&request, nullptr, request.bytes, name});
}

void Engine::advance_taken() {
  for (size_t i = 0; i < taken_.size();) {
    const TakenOffer taken = taken_[i];
    if (!all_pieces_done(offer_at(taken.offer))) {
      ++i;
      continue;
    }
    taken_.erase(taken_.begin() + static_cast<ptrdiff_t>(i));
    finish_taken(taken);
  }
}

void Engine::finish_taken(const TakenOffer& taken) {
  Offer& offer = offer_at(taken.offer);
  Request& request = *taken.request;
  const int failure = offer.failure.load(relaxed);
  if (failure != 0) {
    learn_failure(failure);
    in_[static_cast<size_t>(taken.from)].offered.push_back({&request, nullptr, request.bytes, taken.offer});
    offer.state.store(OfferState::kByPieces, release);
  } else {
    offer.state.store(OfferState::kFinished, release);
    message_complete(request);
  }
  wake_rank(taken.from);
}

// --- both ---

void Engine::copy_pieces(Offer& offer, OfferSide side, int peer) {
  const pid_t process = rank_record(peer).pid.load(relaxed);
  for (uint32_t piece = 0; claim_piece(offer, side, &piece);) {
    const uint64_t at = piece * offer.piece_bytes;
    const size_t bytes = std::min(offer.piece_bytes, offer.bytes - at);
    const auto copied =
        side == OfferSide::kSender
            ? spmc::base::write_memory(process, offer.to + at, reinterpret_cast<void*>(offer.from + at), bytes)
            : spmc::base::read_memory(process, offer.from + at, reinterpret_cast<void*>(offer.to + at), bytes);
    if (!copied) offer.failure.store(copied.error().code, relaxed);
    const bool last = offer.done.fetch_add(1, std::memory_order_acq_rel) + 1 == offer.pieces;
    if (last && side == OfferSide::kSender) wake_rank(peer);
  }
}

// Where the kernel does not let one rank into the other's memory, it will not do so the next time either.
void Engine::learn_failure(int error) {
  if (error == EPERM || error == EACCES || error == ENOSYS)
    direct_from_.one_way = direct_from_.pending = DirectFrom::kNever;
}

}  // namespace detmpi
