// Fortran programs (fortran/), one for each interface. They check themselves; here they have to end well and print the
// same bytes whenever and however they are started.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "run_mpi.hpp"
#include "support/sanitized.hpp"

using mpi_test::expect_same_everywhere;
using test_support::RunResult;

TEST_CASE("programs with mpif.h") { expect_same_everywhere("fortran/include_file", {1, 2, 3, 8}); }
TEST_CASE("programs with module mpi") { expect_same_everywhere("fortran/module_mpi", {1, 2, 3, 8}); }
TEST_CASE("programs with module mpi_f08") { expect_same_everywhere("fortran/module_f08", {1, 2, 3, 8}); }
TEST_CASE("large counts with module mpi_f08") { expect_same_everywhere("fortran/large_f08", {1, 2, 3}); }
TEST_CASE("attributes that Fortran and C share") { expect_same_everywhere("fortran/attributes", {1}); }
TEST_CASE("a tool in C sees calls from Fortran that are not by the profiling names") {
  expect_same_everywhere("fortran/profiled", {1});
}

TEST_CASE("a section that cannot be had is refused by the call's name, with what to do") {
  const RunResult run = test_support::run_command(mpi_test::job(1, "fortran/refused_section", {}));
  INFO(run.err);
  CHECK(run.exit_code == 1);  // MPI_ERR_BUFFER
  CHECK(run.err.find("MPI_Iallreduce: sendbuf is an array section with gaps") != std::string::npos);
  CHECK(run.err.find("give it an array without gaps") != std::string::npos);
}

namespace {

struct EarlyEnd {
  RunResult run;
  std::string file;  // what the program wrote to a file of its own
};

EarlyEnd end_early(const char* start, const std::string& how) {
  const auto name = std::filesystem::temp_directory_path() / ("early_end." + std::to_string(::getpid()));
  EarlyEnd end{test_support::run_command(mpi_test::job(3, "fortran/early_end", {start}, {how, name})), ""};
  std::getline(std::ifstream(name), end.file, '\0');
  std::filesystem::remove(name);
  return end;
}

}  // namespace

TEST_CASE("ranks that are ended have shown each line that they printed") {
  const std::string all = "rank 0\nrank 1\nrank 2\n";
  CHECK(end_early("--start=fork", "abort").run.out == "before\n" + all);
  CHECK(end_early("--start=exec", "abort").run.out == "before\nrank 0\nbefore\nrank 1\nbefore\nrank 2\n");
}

TEST_CASE("what Fortran holds for a file before MPI_Init, and when a rank aborts, is written once") {
  const EarlyEnd end = end_early("--start=fork", "abort");
  INFO(end.run.err);
  CHECK(end.run.exit_code == 5);
  CHECK(end.file == "before\nrank 1 gives up\n");
}

TEST_CASE("messages name the place in the Fortran program") {
  for (const char* start : mpi_test::kStarts) {
    for (const char* how : {"mismatch", "stuck"}) {
      const RunResult run = end_early(start, how).run;
      INFO(run.err);
      CHECK(run.exit_code == 122);
      CHECK(run.err.find(how == std::string("stuck") ? "MPI_Recv at " : "MPI_Barrier at ") != std::string::npos);
      for (const char* other : {"libdetmpi", "functions.cpp"}) CHECK(run.err.find(other) == std::string::npos);
    }
  }
}

TEST_CASE("a crash is told by Fortran and by detmpirun") {
  if (test_support::kAddressSanitizer) return;  // it reports crashes in its own way
  for (const char* start : mpi_test::kStarts) {
    const RunResult run = end_early(start, "crash").run;
    INFO(run.err);
    CHECK(run.exit_code == 128 + SIGSEGV);
    CHECK(run.err.find("Backtrace for this error") < run.err.find("rank 1 died of signal 11"));
    CHECK(run.err.find("touching address 0x10, at ") != std::string::npos);
  }
}

TEST_CASE("what Fortran holds for a file is written by the rank that says that collective operations do not match") {
  for (const char* start : mpi_test::kStarts) {
    CHECK(end_early(start, "mismatch").file.find("differs\n") != std::string::npos);
  }
}

TEST_CASE("a rank aborts inside of a WRITE of Fortran") {
  for (const char* start : mpi_test::kStarts) CHECK(end_early(start, "inside").run.exit_code == 5);
}
