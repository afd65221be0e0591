// By which way messages of medium length go.
#include "engine/medium_way.hpp"

#include <catch2/catch.hpp>

using detmpi::MediumWay;

namespace {

constexpr size_t kPiece = 16 * 1024;
constexpr uint64_t kFast = 1'700, kSlow = 3'000;  // ns

void note(MediumWay& way, int times, uint64_t ns) {
  for (int i = 0; i < times; ++i) way.note(kPiece, ns);
}

// How many of so many messages go from buffer to buffer.
int direct_of(MediumWay& way, int messages) {
  int direct = 0;
  for (int i = 0; i < messages; ++i) direct += way.is_direct();
  return direct;
}

}  // namespace

TEST_CASE("messages go from buffer to buffer until copies are slow") {
  MediumWay way;
  CHECK(way.is_direct());
  note(way, 10, kFast);
  note(way, 3, kSlow);
  CHECK(way.is_direct());
  note(way, 1, kSlow);
  CHECK(!way.is_direct());
}

TEST_CASE("now and then a few of them try it again") {
  MediumWay way;
  note(way, 5, kSlow);
  CHECK(direct_of(way, 1280) == 40);
  note(way, 10, kSlow);
  CHECK(!way.is_direct());
}

TEST_CASE("the first copies of a trial may be slow") {
  MediumWay way;
  note(way, 5, kSlow);
  note(way, 2, kSlow);
  note(way, 2, kFast);
  CHECK(direct_of(way, 100) == 100);
}

TEST_CASE("what is fast depends on the length") {
  MediumWay way;
  for (int i = 0; i < 5; ++i) way.note(64 * 1024, 5'000);
  CHECK(way.is_direct());
  for (int i = 0; i < 5; ++i) way.note(8 * 1024, 2'100);
  CHECK(!way.is_direct());
}
