// A pipeline gives the same items in the same order whatever the scheduler does to its stages.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iterator>
#include <set>

#include "../determinism/disturb.hpp"

using determinism_test::kDisturbances;
using determinism_test::run_disturbed;

namespace {

// All outputs that were seen: in each way of being disturbed, for 1, 2 and 4 replicas.
std::set<std::string> outputs(const std::vector<std::string>& options) {
  std::set<std::string> seen;
  for (const auto& how : kDisturbances) {
    for (const char* const replicas : {"1", "2", "4"}) {
      std::vector<std::string> command = {std::getenv("PIPELINE_PROGRAM"), replicas};
      command.insert(command.end(), options.begin(), options.end());
      const auto run = run_disturbed(how, command, static_cast<uint64_t>(replicas[0]));
      INFO(how.name << ", " << replicas << " replicas\n" << run.err);
      CHECK(run.exit_code == 0);
      CHECK(run.out.size() > 10'000);
      seen.insert(run.out);
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("the items and their order do not depend on how the stages are scheduled") { CHECK(outputs({}).size() == 1); }

TEST_CASE("the disturbance is noticed by a pipeline whose items depend on timing") {
  CHECK(outputs({"--racing"}).size() > 1);
}
