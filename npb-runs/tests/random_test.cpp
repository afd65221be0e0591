// The random sequence against the suite's values. No MPI.

#include <catch2/catch.hpp>

#include <vector>

#include "../common/random.hpp"

using namespace npb;

TEST_CASE("the random sequence has the suite's values", "[npb]") {
  Random random;
  CHECK(random.next() == 0.79452191118873827);
  CHECK(random.state() == 55909509111989u);
  random.next();
  CHECK(random.state() == 61155031930969u);
  CHECK(power_mod(kMultiplier, 2) == 57961422730425u);
  CHECK(power_mod(kMultiplier, 1000) == 18904382368481u);
  CHECK(power_mod(kMultiplier, 1u << 17) == 62362532446209u);
}

TEST_CASE("skipping numbers equals drawing them", "[npb]") {
  Random drawn, skipped;
  for (int i = 0; i < 1000; ++i) drawn.next();
  skipped.skip(1000);
  CHECK(drawn.next() == skipped.next());
}

TEST_CASE("filling an array equals drawing its numbers", "[npb]") {
  for (const std::size_t count : {0, 1, 31, 32, 33, 64, 1000}) {
    Random drawn, filled;
    std::vector<double> numbers(count);
    filled.fill(numbers.data(), count);
    for (std::size_t i = 0; i < count; ++i) REQUIRE(numbers[i] == drawn.next());
    CHECK(filled.state() == drawn.state());
  }
}
