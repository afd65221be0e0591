// The promise for programs whose outcome MPI leaves to the order in which messages arrive (racing/): every run
// prints the same bytes, whatever happens around it. With --order=arrival, where that order is the real one,
// they must differ, or they would show nothing; with other seeds they take other legal outcomes.
//
// Four of them are those in which papers 000 and 001 deadlock and have to break the deadlock: "receive_first" (Fig. 3
// of paper 000), "rendezvous_relay" (its Fig. 4), and the same in the messages of MG and LU ("rendezvous_halo",
// "lu_wavefront ssend"). Here nothing arises that would have to be broken: they end, and never meet a verdict.
//
// RACING_RUNS is the number of disturbed runs of each program with each number of ranks; without it there are 2, of
// sanitized ones 1, and the storm of tests is a smaller one.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "../detmpi/run_mpi.hpp"
#include "disturb.hpp"
#include "support/environment.hpp"
#include "support/leak_check.hpp"

using namespace mpi_test;
using determinism_test::kDisturbances;
using determinism_test::run_disturbed;

namespace {

constexpr const char* kPrograms[] = {
    "all_pairs",          "cancel_race",     "changing_source", "irecv_test_storm", "late_receive",    "lu_wavefront",
    "lu_wavefront ssend", "master_wild",     "mg_halo",         "own_messages",     "persistent_race", "probing_server",
    "racing_comms",       "receive_first",   "rendezvous_halo", "rendezvous_relay", "ssend_tests",     "usual_source",
    "waitany_server",     "waitsome_server", "work_stealing",
};

unsigned disturbed_runs() {
  return static_cast<unsigned>(
      test_support::number_from_environment("RACING_RUNS", test_support::kAddressSanitizer ? 1 : 2));
}

const determinism_test::Disturbance& disturbance(unsigned i) { return kDisturbances[i % std::size(kDisturbances)]; }

// `name`: of the program, and its argument if it has one. With a digest the engine also checks that no message comes
// earlier than it was sure that one could.
std::vector<std::string> racing_job(int ranks, const std::string& name, const std::vector<std::string>& options) {
  const size_t space = name.find(' ');
  auto argv = job(ranks, "racing/" + name.substr(0, space), options);
  argv.insert(argv.begin() + 1, "--digest");
  if (space != std::string::npos) argv.push_back(name.substr(space + 1));
  if (name == "irecv_test_storm" && std::getenv("RACING_RUNS") == nullptr) argv.push_back("4096");
  return argv;
}

void expect_success(const RunResult& run) {
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.substr(0, 18) == "detmpirun: digest ");
  CHECK(run.err.size() == 18 + 16 + 1);
  CHECK(!run.out.empty());
}

// One run in peace for each way of starting; the disturbed ones take turns and must equal it.
void expect_same(const std::string& name, int ranks, const std::vector<std::string>& options = {}) {
  std::vector<std::vector<std::string>> jobs;
  std::vector<RunResult> peaceful;
  for (const char* start : kStarts) {
    if (jobs.size() >= std::max(1u, disturbed_runs())) break;  // none would be compared with it
    auto with = options;
    with.push_back(start);
    jobs.push_back(racing_job(ranks, name, with));
    INFO(name << " on " << ranks << " ranks, " << start);
    peaceful.push_back(test_support::run_command(jobs.back()));
    expect_success(peaceful.back());
  }
  for (unsigned i = 0; i < disturbed_runs(); ++i) {
    const size_t start = i % jobs.size();
    INFO(name << " on " << ranks << " ranks, " << kStarts[start] << ", run " << i << ", " << disturbance(i).name);
    const auto run = run_disturbed(disturbance(i), jobs[start], i + 1);
    expect_success(run);
    INFO(difference(peaceful[start], run));
    CHECK(run == peaceful[start]);
  }
}

}  // namespace

TEST_CASE("racing programs print the same bytes on 2 ranks") {
  for (const char* name : kPrograms) expect_same(name, 2);
}
TEST_CASE("racing programs print the same bytes on 4 ranks") {
  for (const char* name : kPrograms) expect_same(name, 4);
}
TEST_CASE("racing programs print the same bytes on 8 ranks") {
  for (const char* name : kPrograms) expect_same(name, 8);
}
TEST_CASE("racing programs print the same bytes on 16 ranks") {
  for (const char* name : kPrograms) expect_same(name, 16);
}

// What makes them end is what parts ranks that are in step (chan/match/poll.hpp). Without it 8 of these jobs went on
// for ever.
TEST_CASE("two ranks that hand each other their last task come to an end, whatever the lookahead is") {
  for (const char* lookahead : {"65", "96", "127", "128", "192", "256", "512", "1000"}) {
    for (const char* length : {"1", "5", "20"}) {
      INFO(lookahead << ", " << length);
      expect_success(test_support::run_command(
          racing_job(2, std::string("work_stealing ") + length, {"--lookahead", lookahead, "--timeout=60"})));
    }
  }
}

TEST_CASE("in the order of arrival racing programs print different bytes") {
  constexpr unsigned kMost = 24;
  for (const char* name : kPrograms) {
    std::set<std::string> outputs;
    for (unsigned i = 0; i < kMost && outputs.size() < 2; ++i) {
      INFO(name << ", run " << i << ", " << disturbance(i).name);
      const auto run = run_disturbed(disturbance(i), racing_job(4, name, {"--order=arrival"}), i + 1);
      expect_success(run);
      outputs.insert(run.out);
    }
    INFO(name);
    CHECK(outputs.size() == 2);
  }
}

TEST_CASE("with different seeds racing programs print different bytes, with one seed the same") {
  constexpr unsigned kSeeds = 4;
  for (const char* name : kPrograms) {
    std::set<std::string> outputs;
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      INFO(name << ", seed " << seed);
      const auto argv = racing_job(4, name, {"--seed", std::to_string(seed)});
      const auto peaceful = test_support::run_command(argv);
      expect_success(peaceful);
      const auto disturbed = run_disturbed(disturbance(seed), argv, seed);
      expect_success(disturbed);
      INFO(difference(peaceful, disturbed));
      CHECK(disturbed == peaceful);
      outputs.insert(peaceful.out);
    }
    INFO(name);
    CHECK(outputs.size() > 1);
  }
}
