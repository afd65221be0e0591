// Random collective operations (programs/random_colls.cpp, which compares every byte with what it should be): the same
// results with every order of messages, way of starting, and way of large data.
//
// COLLS_PROGRAMS is the number of programs, COLLS_FIRST that of the first one.
#include "../determinism/disturb.hpp"
#include "run_mpi.hpp"
#include "support/environment.hpp"

using namespace mpi_test;

using test_support::number_from_environment;

namespace {

constexpr int kRanks[] = {1, 2, 3, 4, 5, 7, 8};
uint64_t first_program() { return number_from_environment("COLLS_FIRST", 1); }
uint64_t number_of_programs() {
  return number_from_environment("COLLS_PROGRAMS", test_support::kAddressSanitizer ? 14 : 56);
}

bool says(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("random collective operations give what they should, also in other orders") {
  constexpr const char* kDirectFrom[] = {"1", "1000", "16K", "never"};
  for (uint64_t number = first_program(), left = number_of_programs(); left > 0; ++number, --left) {
    const int ranks = kRanks[number % std::size(kRanks)];
    const std::vector<std::string> arguments = {std::to_string(number)};
    const std::string seed = "--seed=" + std::to_string(number % 3);
    const std::string direct = std::string("--direct-from=") + kDirectFrom[number % std::size(kDirectFrom)];
    const RunResult plain = test_support::run_command(job(ranks, "random_colls", {"--digest"}, arguments));
    auto argv =
        job(ranks, "random_colls", {"--digest", seed, direct, kStarts[number / 7 % std::size(kStarts)]}, arguments);
    if (number % 5 < 2) argv = with_least_room(argv);
    const RunResult varied = test_support::run_command(argv);
    INFO("program " << number << " on " << ranks << " ranks\n" << plain.err << varied.err);
    REQUIRE(plain.exit_code == 0);
    REQUIRE(varied.exit_code == 0);
    CHECK(!plain.out.empty());
    CHECK(plain.out == varied.out);
    if (number % 3 == 0) CHECK(plain.err == varied.err);  // the digest
  }
}

// A few have no operation that could go wrong: those say nothing.
TEST_CASE("random collective operations of which one does not match are told of, in the same words in every run") {
  uint64_t told = 0;
  for (uint64_t number = first_program(), left = number_of_programs(); left > 0; ++number, --left) {
    const int ranks = 2 + static_cast<int>(number % 7);
    const auto argv = job(ranks, "random_colls", {"--grace=60"}, {std::to_string(number), "wrong"});
    const auto& how = determinism_test::kDisturbances[number % std::size(determinism_test::kDisturbances)];
    const RunResult first = test_support::run_command(argv);
    const RunResult disturbed = determinism_test::run_disturbed(how, argv, number);
    INFO("program " << number << " on " << ranks << " ranks, " << how.name);
    CHECK(first.exit_code == disturbed.exit_code);
    REQUIRE(first.err == disturbed.err);
    CHECK((first.exit_code == 0) == first.err.empty());
    if (first.exit_code == 0) continue;
    ++told;
    INFO(first.err);
    CHECK((says(first.err, "mismatched collective operations on ") || says(first.err, " bytes where ") ||
           says(first.err, "detmpirun: deadlock: ")));
  }
  CHECK(told * 3 > number_of_programs() * 2);
}
