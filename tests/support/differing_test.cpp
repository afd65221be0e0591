// Must fail: two runs of a function that print different bytes.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>

#include "support/run_child.hpp"

TEST_CASE("prints its process number") {
  const auto run = test_support::run_same([] { return std::printf("%d\n", getpid()) < 0 ? 1 : 0; });
  CHECK(run.exit_code == 0);
}
