// By which way messages of medium length go.
#include "engine/medium_way.hpp"

#include <catch2/catch.hpp>

using detmpi::MediumWay;

namespace {

constexpr size_t kPiece = 16 * 1024;
constexpr uint64_t kFast = 1'600, kSlow = 3'500;  // ns

// How many of so many messages go from buffer to buffer. The first copy after a message through the window takes long.
// `reads`: all do, since the receiver reads what it gets. `piece`: bytes of what this rank copies of each; 0: the other
// one copies all.
int direct_of(MediumWay& way, int messages, bool reads, size_t piece = kPiece) {
  int direct = 0;
  for (int i = 0, in_row = 0; i < messages; ++i) {
    if (!way.is_direct()) {
      in_row = 0;
      continue;
    }
    ++direct;
    const uint64_t ns = reads || in_row++ == 0 ? kSlow : kFast;
    if (piece > 0 && way.in_trial()) way.note(piece, ns * (piece + 10 * 1024) / (kPiece + 10 * 1024));
  }
  return direct;
}

}  // namespace

TEST_CASE("messages go from buffer to buffer at first, and as long as copies become faster") {
  MediumWay way;
  CHECK(direct_of(way, 10'000, false) > 9'900);
}

TEST_CASE("where the receiver reads what it gets they go through the window, but for a few") {
  MediumWay way;
  CHECK(direct_of(way, 10'000, true) < 250);
}

TEST_CASE("a program may change") {
  MediumWay way;
  direct_of(way, 10'000, true);
  direct_of(way, 1'000, false);
  CHECK(direct_of(way, 1'000, false) > 950);
  direct_of(way, 1'000, true);
  CHECK(direct_of(way, 1'000, true) < 50);
}

TEST_CASE("one copy that was interrupted changes nothing") {
  MediumWay way;
  direct_of(way, 10'000, true);
  while (!way.in_trial()) (void)way.is_direct();
  for (int i = 0; i < 4; ++i) {
    (void)way.is_direct();
    way.note(kPiece, i == 0 ? 100 * kSlow : kSlow);
  }
  CHECK(direct_of(way, 100, true) == 0);
}

TEST_CASE("messages of several lengths are compared") {
  MediumWay way;
  int direct = 0;
  for (int i = 0; i < 1'000; ++i) direct += direct_of(way, 1, true, 8 * 1024 << i % 4);
  CHECK(direct < 100);
}

TEST_CASE("a trial in which the receiver copies all comes to an end") {
  MediumWay way;
  CHECK(direct_of(way, 10'000, false, 0) > 9'900);
  direct_of(way, 10'000, true);
  CHECK(direct_of(way, 10'000, true, 0) < 1'000);
}
