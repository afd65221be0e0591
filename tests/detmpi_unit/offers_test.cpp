// Sharing out the pieces of an offered message.
#include "engine/offer.hpp"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace detmpi;

namespace {

std::vector<uint32_t> claim_all(Offer& offer, OfferSide side) {
  std::vector<uint32_t> got;
  for (uint32_t piece = 0; claim_piece(offer, side, &piece);) got.push_back(piece);
  return got;
}

}  // namespace

TEST_CASE("the sender begins at the front, the receiver at the back") {
  Offer offer{};
  offer.pieces = 5;
  uint32_t piece = 99;
  CHECK((claim_piece(offer, OfferSide::kSender, &piece) && piece == 0));
  CHECK((claim_piece(offer, OfferSide::kReceiver, &piece) && piece == 4));
  CHECK((claim_piece(offer, OfferSide::kSender, &piece) && piece == 1));
  CHECK((claim_piece(offer, OfferSide::kSender, &piece) && piece == 2));
  CHECK((claim_piece(offer, OfferSide::kReceiver, &piece) && piece == 3));
  CHECK(!claim_piece(offer, OfferSide::kSender, &piece));
  CHECK(!claim_piece(offer, OfferSide::kReceiver, &piece));
}

TEST_CASE("either side may copy everything") {
  for (const OfferSide side : {OfferSide::kSender, OfferSide::kReceiver}) {
    Offer offer{};
    offer.pieces = 3;
    CHECK(claim_all(offer, side).size() == 3);
    CHECK(claim_all(offer, OfferSide::kSender).empty());
    CHECK(claim_all(offer, OfferSide::kReceiver).empty());
  }
}

TEST_CASE("a message without bytes has no pieces and is done") {
  Offer offer{};
  CHECK(claim_all(offer, OfferSide::kSender).empty());
  CHECK(all_pieces_done(offer));
}

TEST_CASE("two ranks that claim at once get every piece exactly once") {
  constexpr uint32_t kPieces = 200;
  for (int round = 0; round < 200; ++round) {
    Offer offer{};
    offer.pieces = kPieces;
    std::vector<uint32_t> front, back;
    std::thread other([&] { front = claim_all(offer, OfferSide::kSender); });
    back = claim_all(offer, OfferSide::kReceiver);
    other.join();
    std::vector<int> times(kPieces, 0);
    for (const uint32_t piece : front) ++times.at(piece);
    for (const uint32_t piece : back) ++times.at(piece);
    REQUIRE(times == std::vector<int>(kPieces, 1));
  }
}
