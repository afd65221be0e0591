// Functions for large counts: they do what their short forms do, and count on where these end.
#include <sstream>

#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;

TEST_CASE("forms for large counts do what the short ones do") {
  std::istringstream names(mpi_test::from_environment("MPI_LARGE_PROGRAMS"));
  int programs = 0;
  for (std::string name; names >> name; ++programs) {
    for (const int ranks : {2, 5}) {
      const auto large = test_support::run_command(mpi_test::job(ranks, name + "_large"));
      const auto plain = test_support::run_command(mpi_test::job(ranks, name));
      INFO(name << " on " << ranks << " ranks\n" << large.err);
      CHECK(large.exit_code == 0);
      CHECK(large.out == plain.out);
    }
  }
  CHECK(programs > 0);
}
TEST_CASE("counts that no int can hold") { expect_same_everywhere("large_counts", {1, 2, 3}); }
TEST_CASE("a message of more than 2 GiB") {
  for (const char* way : {"--direct-from=never", "--direct-from=16K"}) {
    const auto run = test_support::run_command(mpi_test::job(2, "large_message", {way}));
    INFO(way << "\n" << run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.out == "2147483656 bytes, of which the last 8 are 1 2 3 4 5 6 7 8\n");
  }
}
