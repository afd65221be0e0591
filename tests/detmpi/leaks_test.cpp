// detmpirun --leaks: what a program has at MPI_Finalize is told, all of it and nothing else.
#include <regex>

#include "run_mpi.hpp"

using namespace mpi_test;

namespace {

constexpr int kLeaksExit = 121;

// The same in two runs and both ways of starting.
std::string report_of(const std::string& what, int ranks, const char* order = "--order=logical") {
  std::string first;
  for (const char* start : kStarts) {
    for (int run = 0; run < 2; ++run) {
      const RunResult result = test_support::run_command(job(ranks, "leaks", {"--leaks", start, order}, {what}));
      INFO(what << ", " << start << ", run " << run << "\n" << result.err);
      CHECK(result.exit_code == kLeaksExit);
      CHECK(result.out.empty());
      if (first.empty()) first = result.err;
      CHECK(result.err == first);
    }
  }
  return first;
}

// Lines of the program change with it, and how a function is called is the compiler's matter.
std::string without_lines(const std::string& report) {
  return std::regex_replace(report, std::regex(R"(\(anonymous namespace\)::|\([^)]*\)(?=, leaks)|:[0-9]+(?=\n))"), "");
}

void expect(const std::string& what, int ranks, const std::vector<std::string>& lines) {
  std::string expected = "DetMPI: left at MPI_Finalize:\n";
  for (const std::string& line : lines) expected += "  " + line + "\n";
  CHECK(without_lines(report_of(what, ranks)) == expected);
}

void expect_nothing(const std::string& what) {
  for (const char* start : kStarts) {
    const RunResult result = test_support::run_command_same(job(3, "leaks", {"--leaks", start}, {what}));
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
  }
}

}  // namespace

TEST_CASE("objects that were not freed are told with their number, and where they were made") {
  expect("objects", 3,
         {"ranks 0-2: 2 communicators that were not freed: MPI_Comm_dup at make_objects, leaks.cpp",
          "ranks 0-2: 1 group that was not freed: MPI_Comm_group at make_objects, leaks.cpp",
          "ranks 0-2: 1 datatype that was not freed: MPI_Type_contiguous at make_objects, leaks.cpp",
          "ranks 0-2: 1 error handler that was not freed: MPI_Comm_create_errhandler at make_objects, leaks.cpp",
          "ranks 0-2: 1 operation that was not freed: MPI_Op_create at make_objects, leaks.cpp",
          "ranks 0-2: 1 info object that was not freed: MPI_Info_create at make_objects, leaks.cpp",
          "ranks 0-2: 1 attribute key that was not freed: MPI_Comm_create_keyval at make_objects, leaks.cpp"});
}

TEST_CASE("requests that nobody waited for are told, and messages that nobody received") {
  expect("requests", 2,
         {"ranks 0-1: 2 requests that nobody waited for: MPI_Isend at isend, leaks.cpp",
          "ranks 0-1: 1 request that nobody waited for: MPI_Issend at begin_and_leave, leaks.cpp",
          "ranks 0-1: 1 request that nobody waited for: MPI_Irecv at begin_and_leave, leaks.cpp",
          "ranks 0-1: 1 persistent request that was not freed: MPI_Recv_init at begin_and_leave, leaks.cpp",
          "ranks 0-1: 1 request that nobody waited for: MPI_Ibarrier at begin_and_leave, leaks.cpp",
          "ranks 0-1: 1 message that a probe took and nobody received: MPI_Mprobe at begin_and_leave, leaks.cpp",
          "rank 0: 1 message from rank 1 that nobody received: tag 3, on MPI_COMM_WORLD, sent at isend, leaks.cpp",
          "rank 0: 1 message from rank 1 that nobody received: tag 4, on MPI_COMM_WORLD, sent at isend, leaks.cpp",
          "rank 0: 1 message from rank 1 that nobody received: tag 5, on MPI_COMM_WORLD, sent at begin_and_leave, "
          "leaks.cpp",
          "rank 0: 2 messages from rank 1 that nobody received: tag 8, on MPI_COMM_WORLD, the first sent at send, "
          "leaks.cpp",
          "rank 1: 1 message from rank 0 that nobody received: tag 3, on MPI_COMM_WORLD, sent at isend, leaks.cpp",
          "rank 1: 1 message from rank 0 that nobody received: tag 4, on MPI_COMM_WORLD, sent at isend, leaks.cpp",
          "rank 1: 1 message from rank 0 that nobody received: tag 5, on MPI_COMM_WORLD, sent at begin_and_leave, "
          "leaks.cpp",
          "rank 1: 2 messages from rank 0 that nobody received: tag 8, on MPI_COMM_WORLD, the first sent at send, "
          "leaks.cpp"});
}

TEST_CASE("what one rank alone has is told, too") {
  expect("one rank", 5,
         {"rank 4: 1 request that nobody waited for: MPI_Isend at isend, leaks.cpp",
          "rank 4: 1 message from rank 4 that nobody received: tag 3, on MPI_COMM_WORLD, sent at isend, leaks.cpp"});
}

TEST_CASE("nothing is told of what the program has freed, or need not free") {
  expect_nothing("nothing");
  expect_nothing("freed at the end");
}

TEST_CASE("which of several messages is left is a matter of logical time") {
  const std::string receive = "rank 0: 1 request that nobody waited for: MPI_Irecv at race, leaks.cpp";
  expect(
      "race", 4,
      {receive, "rank 0: 1 message from rank 2 that nobody received: tag 3, on MPI_COMM_WORLD, sent at send, leaks.cpp",
       "rank 0: 1 message from rank 3 that nobody received: tag 3, on MPI_COMM_WORLD, sent at send, leaks.cpp"});
  // As they come it is another one, so the test would see it.
  CHECK(contains(report_of("race", 4, "--order=arrival"), "1 message from rank 1 that nobody received"));
}

TEST_CASE("without --leaks nothing is told") {
  const RunResult result = test_support::run_command_same(job(2, "leaks", {}, {"objects"}));
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
}

TEST_CASE("a job that fails, or that --verify runs, keeps its exit code") {
  // A report is the same in all of its runs.
  const RunResult run = test_support::run_command(job(2, "leaks", {"--leaks", "--verify=3"}, {"objects"}));
  INFO(run.err);
  CHECK(run.exit_code == kLeaksExit);
  CHECK(contains(run.err, "2 communicators that were not freed"));
}
