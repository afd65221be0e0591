// Sessions: each case of the program (programs/sessions.cpp) ends well and prints the same, however it is started.
#include "run_mpi.hpp"

using namespace mpi_test;

namespace {

void expect_done(const std::string& what, const std::vector<int>& numbers_of_ranks) {
  for (const int ranks : numbers_of_ranks) {
    for (const char* start : kStarts) {
      const auto runs = test_support::run_command_twice(job(ranks, "sessions", {start}, {what}));
      INFO(what << " on " << ranks << " ranks, " << start << "\n" << runs.first.err << runs.second.err);
      REQUIRE(runs.first.exit_code == 0);
      CHECK(runs.first == runs.second);
      CHECK(runs.first.err.empty());
      CHECK(runs.first.out.size() == std::string("done\n").size() * static_cast<size_t>(ranks));
    }
  }
}

// Both ranks end so; of the first it is told.
void expect_bad_end(const std::string& what, int exit_code, const std::string& told) {
  for (const char* start : kStarts) {
    const auto run = test_support::run_command(job(2, "sessions", {start}, {what}));
    INFO(what << ", " << start << "\n" << run.err);
    CHECK(run.exit_code == exit_code);
    CHECK(run.err == "DLinux: rank 0 " + told + "\n");
  }
}

}  // namespace

TEST_CASE("sessions without MPI_Init, one after the other") { expect_done("alone", {1, 2, 5}); }
TEST_CASE("sessions before, within and after MPI_Init and MPI_Finalize") { expect_done("around", {1, 2, 5}); }
TEST_CASE("ranks that end the job in different ways") { expect_done("mixed", {1, 2, 6}); }
TEST_CASE("process sets") { expect_done("sets", {1, 3}); }
TEST_CASE("groups without a communicator in common") { expect_done("groups", {1, 2, 5}); }
TEST_CASE("error handlers of sessions") { expect_done("handlers", {1, 3}); }

TEST_CASE("a session that is open at the exit is an error") {
  const std::string open = "ended with exit code 0 but with a session open, without MPI_Session_finalize; the job ends";
  expect_bad_end("open_at_exit", 1, open);
  expect_bad_end("open_after_finalize", 1, open);
  expect_bad_end("open_at_failing_exit", 7, "ended with exit code 7 before MPI_Session_finalize; the job ends");
  expect_bad_end("running_at_exit", 1, "ended with exit code 0 but without calling MPI_Finalize; the job ends");
}

TEST_CASE("a program with sessions that was started by itself") {
  const auto run = test_support::run_command_same({program("sessions"), "around"});
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.out == "done\n");
}
