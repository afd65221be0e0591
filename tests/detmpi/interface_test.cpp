// The chapters of MPI around messages and collective operations: each program checks itself (programs/); here it has to
// end well and print the same bytes whenever and however it is started.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;

TEST_CASE("chapters that are not supported say so") {
  for (const int ranks : {1, 3}) {
    for (const char* start : mpi_test::kStarts) {
      const auto run = test_support::run_command(mpi_test::job(ranks, "unsupported", {start}));
      CHECK(run.exit_code == 0);
      CHECK(run.out == "failed as they should\n");
      const auto line = [](int rank, const char* function, const char* chapter) {
        return "DetMPI: rank " + std::to_string(rank) + ": " + function +
               ": not supported by this version of DetMPI (" + chapter + "); it returns an error\n";
      };
      std::vector<std::string> expected = {line(0, "MPI_File_open", "Files"),
                                           line(ranks - 1, "MPI_Open_port", "Process creation"),
                                           line(0, "MPI_Win_create", "One-sided communication")};
      std::vector<std::string> lines;
      std::istringstream text(run.err);
      for (std::string got; std::getline(text, got);) lines.push_back(got + '\n');
      std::sort(expected.begin(), expected.end());
      std::sort(lines.begin(), lines.end());
      CHECK(lines == expected);
    }
  }
}
TEST_CASE("who gives up may do so because of what is not supported") {
  const auto run = test_support::run_command_same(mpi_test::job(2, "unsupported", {}, {"abort"}));
  INFO(run.err);
  CHECK(run.exit_code == 3);
  const char* const told =
      "; the job ends (MPI_File_open, which this version of DetMPI does not support, had returned an error before)\n";
  CHECK(run.err.find(told) != std::string::npos);
}
TEST_CASE("disconnecting waits") { expect_same_everywhere("disconnect", {1, 2, 5}); }
TEST_CASE("the tools interface") { expect_same_everywhere("tools", {1, 2, 5}); }
