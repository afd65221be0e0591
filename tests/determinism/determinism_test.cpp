// The promise itself: a program prints the same bytes in every run, whatever happens around it. Each program
// runs in peace once; then under load, on one core, with its ranks stopped and continued at random, started
// both ways; the outputs must be equal. A program that is not deterministic shows that the disturbance would
// have been noticed.
#include <set>

#include "../detmpi/run_mpi.hpp"
#include "../detmpi/running.hpp"
#include "disturb.hpp"
#include "support/leak_check.hpp"
#include "support/sanitized.hpp"

using namespace mpi_test;
using determinism_test::kDisturbances;
using determinism_test::run_disturbed;
using determinism_test::Stopper;

namespace {

// All outputs of the program, in peace first, then under every disturbance.
std::vector<RunResult> all_runs(const std::string& name, int ranks, const char* start,
                                const std::vector<std::string>& options = {}) {
  auto with = options;
  with.push_back(start);
  const auto argv = job(ranks, name, with);
  std::vector<RunResult> runs = {test_support::run_command(argv)};
  uint64_t seed = 1;
  for (const auto& how : kDisturbances) {
    INFO(name << " on " << ranks << " ranks, " << start << ", " << how.name);
    runs.push_back(run_disturbed(how, argv, seed++));
    INFO(runs.back().err);
    REQUIRE(runs.back().exit_code == 0);
    CHECK(runs.back().err.empty());
  }
  return runs;
}

void expect_same(const std::string& name, int ranks, bool across_starts = true,
                 const std::vector<std::string>& options = {}) {
  std::string first_output;
  for (const char* start : starts_to_compare()) {
    const auto runs = all_runs(name, ranks, start, options);
    CHECK(!runs[0].out.empty());
    for (size_t i = 1; i < runs.size(); ++i) {
      INFO(name << " on " << ranks << " ranks, " << start << ", " << kDisturbances[i - 1].name);
      INFO(difference(runs[0], runs[i]));
      CHECK(runs[i] == runs[0]);
    }
    if (across_starts && !first_output.empty()) CHECK(runs[0].out == first_output);
    first_output = runs[0].out;
  }
}

// Where the system forbids to switch the randomisation of addresses off, they differ.
bool randomised_for_good() {
  if (test_support::run_command({"setarch", "-R", "true"}).exit_code == 0) return false;
  test_support::skip_test("address randomisation cannot be switched off here");
  return true;
}

}  // namespace

TEST_CASE("the disturbance is noticed by a program that is not deterministic") {
  for (const char* start : kStarts) {
    std::set<std::string> outputs;
    for (const auto& run : all_runs("unordered", 4, start, {"--ordered-output=no"})) outputs.insert(run.out);
    CHECK(outputs.size() > 1);
  }
}

TEST_CASE("lines of all ranks") { expect_same("unordered", 4); }
TEST_CASE("lines of all ranks, with messages between them that race") {
  expect_same("printing_workers", 4);
  expect_same("printing_workers", 7);
}

TEST_CASE("the stopper stops") {
  Running running(job(3, "ring"));
  int stops = 0;
  {
    const Stopper stopper(running.pid(), 1);
    CHECK(running.finish().exit_code == 0);
    stops = stopper.stops();
  }
  CHECK(stops > 0);
}

TEST_CASE("a halo exchange") { expect_same("halo", 4); }
TEST_CASE("a token in a ring") { expect_same("ring", 3); }
TEST_CASE("a master and its workers") { expect_same("master_worker", 5); }
TEST_CASE("random traffic") {
  expect_same("traffic", 2);
  expect_same("traffic", 6);
}
TEST_CASE("random traffic from buffer to buffer") { expect_same("traffic", 6, true, {"--direct-from=1"}); }
TEST_CASE("the way of a message is not seen in the clock") {
  const auto window =
      test_support::run_command_same(job(4, "logical_clock", {"--wtime=logical", "--direct-from=never"}));
  const auto direct = test_support::run_command_same(job(4, "logical_clock", {"--wtime=logical", "--direct-from=1"}));
  CHECK(window.exit_code == 0);
  CHECK(!window.out.empty());
  CHECK(direct.out == window.out);
}
TEST_CASE("collective operations in a random order") {
  expect_same("mixture", 2);
  expect_same("mixture", 7);
}
TEST_CASE("the digest of a run") {
  const auto digest = [](const std::vector<std::string>& options) {
    auto with = options;
    with.push_back("--digest");
    const auto run = test_support::run_command(job(8, "racing/master_wild", with));
    CHECK(run.exit_code == 0);
    const size_t at = run.err.find("detmpirun: digest ");
    REQUIRE(at != std::string::npos);
    return run.err.substr(at);
  };
  const std::string first = digest({});
  CHECK(first.size() == std::string("detmpirun: digest ").size() + 17);
  CHECK(digest({}) == first);
  CHECK(digest({"--start=exec"}) == first);
  CHECK(digest({"--seed=1"}) != first);
  std::set<std::string> by_arrival;
  for (int run = 0; run < 20 && by_arrival.size() < 2; ++run) by_arrival.insert(digest({"--order=arrival"}));
  CHECK(by_arrival.size() > 1);
}
TEST_CASE("a communicator is disconnected when its synchronous sends are complete in logical time") {
  for (const char* way : {"pending", "freed", "persistent"}) {
    std::set<std::string> outputs, digests;
    for (const char* late : {"-1", "0", "1", "2"}) {
      const auto run = test_support::run_command(job(3, "disconnected", {"--wtime=logical", "--digest"}, {way, late}));
      INFO(way << ", late: " << late << "\n" << run.err);
      CHECK(run.exit_code == 0);
      outputs.insert(run.out);
      digests.insert(run.err);
      CHECK(run.out.find("rank 1 receives\n") < run.out.find("rank 0 knows"));
    }
    CHECK(outputs.size() == 1);
    CHECK(digests.size() == 1);
  }
}
TEST_CASE("which of two communicators a message belongs to is in the digest") {
  const auto run = [](const char* late) {
    return test_support::run_command(job(3, "either", {"--order=arrival", "--digest"}, {late}));
  };
  const auto late_first = run("1"), late_second = run("2");
  INFO(late_first.err << late_second.err);
  CHECK(late_first.out == "1\n0\n");
  CHECK(late_second.out == "0\n1\n");
  CHECK(late_first.err != late_second.err);
}
TEST_CASE("the logical clock") {
  expect_same("logical_clock", 2, false, {"--wtime=logical"});
  expect_same("logical_clock", 4, false, {"--wtime=logical"});
}
TEST_CASE("handles of requests") { expect_same("freed_requests", 3); }
TEST_CASE("addresses") {
  if (randomised_for_good()) return;
  expect_same("addresses", 3, false);
}
TEST_CASE("addresses of heap blocks") {
  if (randomised_for_good()) return;
  if (test_support::kAddressSanitizer) {
    test_support::skip_test("AddressSanitizer has one heap for the library and the program");
    return;
  }
  expect_same("heap_addresses", 3, false);
  expect_same("heap_addresses_linked", 3, false);
  expect_same("heap_addresses_loaded", 3, false);
}
