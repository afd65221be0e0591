// Fortran programs (fortran/), one for each interface. They check themselves; here they have to end well and print the
// same bytes whenever and however they are started.
#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;
using test_support::RunResult;

TEST_CASE("programs with mpif.h") { expect_same_everywhere("fortran/include_file", {1, 2, 3, 8}); }
TEST_CASE("programs with module mpi") { expect_same_everywhere("fortran/module_mpi", {1, 2, 3, 8}); }
TEST_CASE("programs with module mpi_f08") { expect_same_everywhere("fortran/module_f08", {1, 2, 3, 8}); }
TEST_CASE("large counts with module mpi_f08") { expect_same_everywhere("fortran/large_f08", {1, 2, 3}); }

namespace {

RunResult end_early(const char* start, const std::string& how) {
  return test_support::run_command(mpi_test::job(3, "fortran/early_end", {start}, {how}));
}

}  // namespace

// Started by exec each rank writes a line before MPI_Init, but those that are ended still hold it.
TEST_CASE("what Fortran holds before MPI_Init, and when a rank aborts, is written once") {
  for (const char* start : mpi_test::kStarts) {
    const auto run = end_early(start, "abort");
    INFO(start << "\n" << run.err);
    CHECK(run.exit_code == 5);
    CHECK(run.out == "before\nrank 1 gives up\n");
  }
}

TEST_CASE("a rank aborts inside of a WRITE of Fortran") {
  for (const char* start : mpi_test::kStarts) CHECK(end_early(start, "inside").exit_code == 5);
}
