// Programs that were built with a library of MPICH's name get DetMPI under detmpirun, as they are.
#include "run_mpi.hpp"

using mpi_test::job;
using test_support::run_command;

namespace {

void expect_detmpi(const std::string& name) {
  for (const char* start : mpi_test::kStarts) {
    const auto run = run_command(job(4, "mpich/" + name, {start}));
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.out == "with DetMPI: 6\n");
  }
}

}  // namespace

TEST_CASE("a program that asks for libmpi.so.12") { expect_detmpi("built_for_mpi"); }
TEST_CASE("a program that asks for libmpich.so.12") { expect_detmpi("built_for_mpich"); }

#ifdef WITH_FORTRAN
TEST_CASE("a program that asks for libmpifort.so.12") { expect_detmpi("built_for_mpifort"); }
TEST_CASE("a program that asks for libmpichfort.so.12") { expect_detmpi("built_for_mpichfort"); }
#endif

TEST_CASE("without detmpirun the program has its own library") {
  // The tests' own search path may have both.
  const auto run = run_command({"env", "-u", "LD_LIBRARY_PATH", mpi_test::program("mpich/built_for_mpi")});
  CHECK(run.exit_code == 1);
  CHECK(run.out == "with the other library\n");
}

TEST_CASE("a search path of the user's stays, behind") {
  const auto run = run_command({"env", "LD_LIBRARY_PATH=/nowhere", mpi_test::detmpirun(), "-n", "1", "sh", "-c",
                                "case $LD_LIBRARY_PATH in */*:/nowhere) echo kept;; esac"});
  CHECK(run.out == "kept\n");
}
