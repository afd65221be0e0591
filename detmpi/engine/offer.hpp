// An offer: a large message that stays in the sender's buffer until a receive takes it. Then both ranks copy
// it from buffer to buffer, the sender from the front and the receiver from the back, whoever has time: each
// piece is copied once, and both cores work. The offer lies in a table of the sender's; a record in the lane
// names it.
//
//   kFree --> kOffered --> kTaken --+--> kFinished --> kFree
//   sender    sender       receiver |    receiver      sender
//                |                  v
//                +-------------> kByPieces --> kFinished --> kFree
//                 either            receiver
//
// kByPieces: the message goes through the window after all, in records that name the offer. The sender wants
// that when nobody takes the offer for long; the receiver when the bytes cannot be copied from buffer to
// buffer, or when that failed. kFinished is the receiver's last store: the entry is the sender's again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace detmpi {

enum class OfferState : uint32_t { kFree, kOffered, kTaken, kByPieces, kFinished };

struct alignas(64) Offer {
  std::atomic<OfferState> state;
  uint32_t pieces;       // receiver, before kTaken
  uint64_t from;         // sender's address; sender, before kOffered
  uint64_t to;           // receiver's address; receiver, before kTaken
  uint64_t bytes;        // to be copied, at most the message's; receiver, before kTaken
  uint64_t piece_bytes;  // of every piece but the last; receiver, before kTaken
  uint64_t unused[3];
  // Both.
  std::atomic<uint64_t> claims;  // pieces claimed: low half by the sender, high half by the receiver
  std::atomic<uint32_t> done;    // pieces copied, or tried
  std::atomic<int32_t> failure;  // error of a copy; 0: none
  uint64_t unused2[6];
};
static_assert(sizeof(Offer) == 128 && offsetof(Offer, claims) == 64);

inline constexpr uint32_t kOffers = 32;  // of a rank: one page

enum class OfferSide { kSender, kReceiver };

// The next piece to copy for one side, or false when all are claimed. Each piece is given out once.
inline bool claim_piece(Offer& offer, OfferSide side, uint32_t* piece) {
  const auto sum = [](uint64_t claims) { return static_cast<uint32_t>(claims) + static_cast<uint32_t>(claims >> 32); };
  if (sum(offer.claims.load(std::memory_order_relaxed)) >= offer.pieces) return false;
  const uint64_t one = side == OfferSide::kSender ? 1 : uint64_t{1} << 32;
  const uint64_t before = offer.claims.fetch_add(one, std::memory_order_acq_rel);
  if (sum(before) >= offer.pieces) return false;
  *piece = side == OfferSide::kSender ? static_cast<uint32_t>(before)
                                      : offer.pieces - 1 - static_cast<uint32_t>(before >> 32);
  return true;
}

inline bool all_pieces_done(const Offer& offer) { return offer.done.load(std::memory_order_acquire) == offer.pieces; }

}  // namespace detmpi
