// Jobs that fail do so in the same way in every run: the same rank is told of, with the same exit code, after the same
// output; also where another rank fails first in real time, and where others would go on for ever.
#include <csignal>
#include <set>

#include "../detmpi/run_mpi.hpp"
#include "../detmpi/running.hpp"
#include "disturb.hpp"
#include "support/sanitized.hpp"

using namespace mpi_test;
using determinism_test::kDisturbances;
using determinism_test::run_disturbed;

namespace {

constexpr int kRanks = 6;
// Who fails first, and what has been printed by then, follows from it.
constexpr const char* kLookahead = "--lookahead=128";
// AddressSanitizer reports crashes in its own way, and ends the process.
constexpr const char* kSeveral = test_support::kAddressSanitizer ? "calls" : "several";

// In peace first, then under every disturbance. More time than detmpirun gives by default: what is disturbed is slow.
std::vector<RunResult> all_runs(const std::string& name, const std::string& how, const char* start,
                                const char* grace = "--grace=60") {
  const auto argv = job(kRanks, name, {start, grace, kLookahead}, {how});
  std::vector<RunResult> runs = {test_support::run_command(argv)};
  uint64_t seed = 1;
  for (const auto& disturbance : kDisturbances) runs.push_back(run_disturbed(disturbance, argv, seed++));
  return runs;
}

void expect_same(const std::string& how, int exit_code, const std::string& said, const std::string& name = "failing") {
  std::string first_output;
  for (const char* start : starts_to_compare()) {
    const auto runs = all_runs(name, how, start);
    INFO(how << ", " << start << "\n" << runs[0].err);
    CHECK(runs[0].exit_code == exit_code);
    CHECK(runs[0].err.find(said) != std::string::npos);
    for (size_t i = 1; i < runs.size(); ++i) {
      INFO(kDisturbances[i - 1].name << ": " << difference(runs[0], runs[i]) << "\n" << runs[i].err);
      CHECK(runs[i] == runs[0]);
    }
    if (first_output.empty()) first_output = runs[0].out;
    CHECK(runs[0].out == first_output);
  }
}

}  // namespace

TEST_CASE("the disturbance is noticed by a job that ends at once") {
  std::set<std::string> outputs;
  for (const auto& run : all_runs("failing", kSeveral, kStarts[0], "--grace=0")) outputs.insert(run.out + run.err);
  CHECK(outputs.size() > 1);
}

TEST_CASE("a rank calls MPI_Abort") { expect_same("abort", 44, "rank 4 called MPI_Abort"); }
TEST_CASE("a rank leaves") { expect_same("exit", 24, "rank 4 ended with exit code 24 before MPI_Finalize"); }
TEST_CASE("a rank leaves without what is done at the exit of a program") {
  for (const char* how : {"_exit", "_Exit", "quick_exit"}) {
    expect_same(how, 24, "rank 4 ended with exit code 24 before MPI_Finalize");
  }
}
TEST_CASE("a rank has an error that nobody handles") { expect_same("error", 2, "rank 4: MPI_Send: count is -1"); }
TEST_CASE("a rank crashes") {
  if (test_support::kAddressSanitizer) return;
  expect_same("crash", 128 + SIGSEGV, "rank 4 died of signal 11");
  expect_same("raise", 128 + SIGABRT, "rank 4 died of signal 6");
  expect_same("inside", 128 + SIGSEGV, "rank 4 died of signal 11 (SIGSEGV: Segmentation fault), in MPI_Send");
}
TEST_CASE("a rank ends itself by a signal") {
  expect_same("raise 15", 128 + SIGTERM, "rank 4 died of signal 15 (SIGTERM: Terminated); the job ends");
  expect_same("pthread_kill 15", 128 + SIGTERM, "rank 4 died of signal 15 (SIGTERM: Terminated); the job ends");
  expect_same("kill 12", 128 + SIGUSR2, "rank 4 died of signal 12");
  expect_same("handler 40", 128 + 40, "rank 4 died of signal 40");
}
TEST_CASE("of several failures the first in logical time is told") {
  expect_same(kSeveral, 44, "rank 4 called MPI_Abort");
}

TEST_CASE("a rank that fails still does what others need for what came before") {
  expect_same("", 17, "rank 0 ended with exit code 17", "failing_debts");
  const auto run = test_support::run_command(job(kRanks, "failing_debts", {kLookahead}));
  for (const char* line :
       {"rank 1: 2 is taken\n", "rank 2: 3 is taken\n", "rank 1 got message 100\n", "rank 3 has looked 50 times\n"}) {
    CHECK(run.out.find(line) != std::string::npos);
  }
  CHECK(run.out.find("4 is taken") == std::string::npos);
}

TEST_CASE("a deadlock of two ranks while others print, and come to wait for them later") {
  expect_same("partial_and_printing", 122, "deadlock: 2 of 6 ranks", "stuck_pair");
}

// With this load they need a second or two for that.
TEST_CASE("ranks that come to be stuck are waited for as long as other processes keep them from it") {
  const auto argv = job(4, "late_to_wait");
  const auto quiet = test_support::run_command(argv);
  const determinism_test::Load load(10);
  const auto loaded = test_support::run_command(argv);
  INFO(quiet.err << loaded.err);
  CHECK(quiet.exit_code == 122);
  CHECK(quiet.err.find("deadlock: 4 of 4 ranks") != std::string::npos);
  CHECK(loaded.exit_code == quiet.exit_code);
  CHECK(loaded.err == quiet.err);
}

TEST_CASE("operations of two communicators do not match") {
  expect_same("", 122, "mismatched collective operations on second", "two_mismatches");
}

TEST_CASE("what a failing job has printed is compared by --verify") {
  const auto run =
      test_support::run_command(job(kRanks, "failing", {"--verify=4", "--grace=60", kLookahead}, {kSeveral}));
  INFO(run.err);
  CHECK(run.exit_code == 44);
  CHECK(run.err.find("verified: 4 runs, 6 ranks, events up to the early end, output ") != std::string::npos);
  CHECK(run.err.find("bytes, exit code 44: all the same") != std::string::npos);
}
