// Random collective operations (programs/random_colls.cpp, which compares every byte with what it should be): the same
// results with every order of messages, way of starting, and way of large data.
//
// COLLS_PROGRAMS is the number of programs, COLLS_FIRST that of the first one.
#include "run_mpi.hpp"
#include "support/environment.hpp"

using namespace mpi_test;

using test_support::number_from_environment;

TEST_CASE("random collective operations give what they should, also in other orders") {
  constexpr int kRanks[] = {1, 2, 3, 4, 5, 7, 8};
  constexpr const char* kDirectFrom[] = {"1", "1000", "16K", "never"};
  const uint64_t first = number_from_environment("COLLS_FIRST", 1);
  const uint64_t programs = number_from_environment("COLLS_PROGRAMS", test_support::kAddressSanitizer ? 14 : 56);
  for (uint64_t number = first; number < first + programs; ++number) {
    const int ranks = kRanks[number % std::size(kRanks)];
    const std::vector<std::string> arguments = {std::to_string(number)};
    const std::string seed = "--seed=" + std::to_string(number % 3);
    const std::string direct = std::string("--direct-from=") + kDirectFrom[number % std::size(kDirectFrom)];
    const RunResult plain = test_support::run_command(job(ranks, "random_colls", {"--digest"}, arguments));
    const RunResult varied = test_support::run_command(
        job(ranks, "random_colls", {"--digest", seed, direct, kStarts[number / 7 % std::size(kStarts)]}, arguments));
    INFO("program " << number << " on " << ranks << " ranks\n" << plain.err << varied.err);
    REQUIRE(plain.exit_code == 0);
    REQUIRE(varied.exit_code == 0);
    CHECK(!plain.out.empty());
    CHECK(plain.out == varied.out);
    if (number % 3 == 0) CHECK(plain.err == varied.err);  // the digest
  }
}
