// How jobs end: exit codes, MPI_Abort, crashes, errors, whatever the other ranks are doing at that moment.
// The bound of 10 s only guards against hangs (a job ends within a fraction of a second); leaks are checked
// after every case.
#include <unistd.h>

#include <csignal>

#include "run_mpi.hpp"
#include "running.hpp"
#include "support/sanitized.hpp"

using namespace mpi_test;

namespace {

constexpr int kRanks = 6;
constexpr double kHang = 10;

size_t times(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Runs `ends how who code`; nothing of it may be left when it has ended.
RunResult end(const char* start, const std::string& how, const std::string& who, int code, int ranks = kRanks) {
  const Stopwatch watch;
  Running running(job(ranks, "ends", {start}, {how, who, std::to_string(code)}));
  RunResult result = running.finish();
  CHECK(watch.seconds() < kHang);
  CHECK(all_gone(running.numbers()));
  return result;
}

struct Expected {
  int exit_code;
  std::vector<std::string> said;
};

void expect_end(const std::string& how, const std::string& who, int code, const Expected& expected,
                int ranks = kRanks) {
  for (const char* start : kStarts) {
    const RunResult result = end(start, how, who, code, ranks);
    INFO(how << " by " << who << ", " << start << "\n" << result.err);
    CHECK(result.exit_code == expected.exit_code);
    for (const auto& part : expected.said) CHECK(contains(result.err, part));
  }
}

}  // namespace

TEST_CASE("a rank's exit code is the job's") {
  expect_end("exit", "after", 0, {0, {}});
  expect_end("exit", "after", 7, {7, {}});
  expect_end("_exit", "after", 255, {255, {}});
  expect_end("exit", "after", 3, {3, {}}, 1);
}

TEST_CASE("a rank that ends without MPI_Finalize ends the job") {
  expect_end("exit", "2", 9, {9, {"rank 2", "exit code 9", "MPI_Finalize"}});
  expect_end("_exit", "0", 1, {1, {"rank 0", "MPI_Finalize"}});
  for (const char* start : kStarts) {
    const RunResult result = end(start, "exit", "1", 0);
    CHECK(result.exit_code != 0);
    CHECK(contains(result.err, "rank 1"));
    CHECK(contains(result.err, "MPI_Finalize"));
  }
}

TEST_CASE("MPI_Abort ends the job") {
  expect_end("abort", "0", 5, {5, {"rank 0", "MPI_Abort", "5"}});
  expect_end("abort", "5", 200, {200, {"rank 5", "MPI_Abort"}});
  expect_end("abort", "1", 256 + 7, {7, {"rank 1"}});
  expect_end("abort", "1", 0, {1, {"rank 1"}});
  expect_end("abort", "0", 4, {4, {"rank 0", "MPI_Abort"}}, 1);
  expect_end("abort", "all", 6, {6, {"MPI_Abort"}});
}

TEST_CASE("a rank that computes for ever is ended after the grace, and that is told") {
  for (const char* start : kStarts) {
    for (const char* how : {"abort", "segv"}) {
      if (how == std::string("segv") && test_support::kAddressSanitizer) continue;
      const Stopwatch watch;
      const auto run =
          test_support::run_command(job(kRanks, "ends", {start, "--grace=0.3"}, {how, "1", "5", "computing"}));
      INFO(how << ", " << start << "\n" << run.err);
      CHECK(watch.seconds() < kHang);
      CHECK(run.exit_code == (how == std::string("abort") ? 5 : 128 + SIGSEGV));
      CHECK(contains(run.err, "ranks 2, 5 had not come as far in logical time after 0.3 s (--grace)"));
      CHECK(contains(run.err, "rank 1 "));
    }
    const Stopwatch watch;
    const auto run =
        test_support::run_command(job(kRanks, "ends", {start, "--grace=0"}, {"exit", "1", "5", "computing"}));
    INFO(run.err);
    CHECK(watch.seconds() < kHang);
    CHECK(run.exit_code == 5);
    CHECK(times(run.err, "\n") == 1);
  }
}

TEST_CASE("ranks that leave when they are asked to end are not kept") {
  for (const char* start : kStarts) {
    Running running(job(kRanks, "ends", {start, kPrintAtOnce, "--grace=60"}, {"exit at SIGTERM", "-1"}));
    REQUIRE(running.wait_for_lines(kRanks));
    usleep(100'000);  // none is at work any more
    running.signal(SIGTERM);
    const RunResult result = running.finish();
    CHECK(result.exit_code == 128 + SIGTERM);
    CHECK(times(result.out, "left\n") == kRanks);  // they were not killed
    CHECK(all_gone(running.numbers()));
  }
}

TEST_CASE("what a program does at its exit may not keep the job for ever") {
  for (const char* start : kStarts) {
    const Stopwatch watch;
    const auto run = test_support::run_command(job(3, "ends", {start}, {"exit for ever", "1", "5"}));
    INFO(run.err);
    CHECK(watch.seconds() < kHang);
    CHECK(run.exit_code == 1);
    CHECK(contains(run.err, "rank 1 ends before MPI_Finalize, and what it does at its exit takes too long"));
  }
}

TEST_CASE("one message tells of an abort") {
  for (const char* start : kStarts) {
    const RunResult result = end(start, "abort", "3", 5);
    INFO(result.err);
    CHECK(times(result.err, "\n") == 1);
  }
}

TEST_CASE("a crash ends the job and is told with rank, signal and place") {
  expect_end("segv", "3", 0, {128 + SIGSEGV, {"rank 3", "SIGSEGV", "0x1234", "at write_to_nowhere, ends.cpp:"}});
  expect_end("segv", "0", 0, {128 + SIGSEGV, {"rank 0", "SIGSEGV", "write_to_nowhere"}}, 1);
  expect_end("fpe", "1", 0, {128 + SIGFPE, {"rank 1", "SIGFPE", "divide_by_zero"}});
  expect_end("abort()", "2", 0, {128 + SIGABRT, {"rank 2", "SIGABRT", "give_up"}});
  expect_end("send", "1", 0, {128 + SIGSEGV, {"rank 1", "SIGSEGV", "MPI_Send", "send_nowhere"}});
  expect_end("kill", "5", 0, {128 + SIGKILL, {"rank 5", "SIGKILL"}});
  for (const char* start : kStarts) {
    const RunResult result = end(start, "segv", "all", 0);
    CHECK(result.exit_code == 128 + SIGSEGV);
    CHECK(contains(end(start, "segv", "1", 0).err, "touching address 0x1234"));
    const RunResult sent = end(start, "sent segv", "1", 0);
    CHECK(sent.exit_code == 128 + SIGSEGV);
    CHECK(contains(sent.err, "rank 1 died of signal"));
    CHECK(!contains(sent.err, "touching"));
  }
}

TEST_CASE("a rank that a signal ends by its own doing ends the job as a crash does") {
  expect_end("pipe", "1", 0, {128 + SIGPIPE, {"rank 1", "SIGPIPE", ", at "}});
  expect_end("trap", "2", 0, {128 + SIGTRAP, {"rank 2", "SIGTRAP", ", at "}});
}

TEST_CASE("MPI_Abort does not wait for a thread that reads standard input") {
  expect_end("abort beside a reader", "0", 5, {5, {"rank 0", "MPI_Abort"}});
}

TEST_CASE("a child of a rank that crashes is not the rank") {
  for (const char* start : kStarts) {
    const RunResult result = end(start, "abort after a child", "1", 5);
    INFO(result.err);
    CHECK(result.exit_code == 5);
    CHECK(times(result.out, "before the child\n") == 1);
    CHECK(!contains(result.err, "SIGABRT"));
  }
}

TEST_CASE("a crash before MPI_Init or after MPI_Finalize is told too") {
  expect_end("segv", "before", 0, {128 + SIGSEGV, {"SIGSEGV"}});
  expect_end("kill", "before", 0, {128 + SIGKILL, {"SIGKILL"}});
  expect_end("segv", "after", 0, {128 + SIGSEGV, {"rank 1", "SIGSEGV"}});
  expect_end("exit", "before", 12, {12, {}});
}

// Not of the one that happens to be the first to end.
TEST_CASE("of ranks that end badly after MPI_Finalize the first one's exit code is the job's") {
  expect_end("exit", "each after", 7, {7, {}});
  for (const char* start : kStarts) {
    const RunResult result = end(start, "kill", "each after", 0, 3);
    INFO(start << "\n" << result.err);
    CHECK(result.exit_code == 128 + SIGKILL);
    size_t at = 0;
    for (const char* rank : {"rank 0 died", "rank 1 died", "rank 2 died"}) {
      at = result.err.find(rank, at);
      CHECK(at != std::string::npos);
    }
  }
}

TEST_CASE("a call after MPI_Finalize ends its rank, as any bad end does then") {
  constexpr int kErrOther = 15;
  for (const char* start : kStarts) {
    const RunResult result = end(start, "argument", "each after", 0, 3);
    INFO(start << "\n" << result.err);
    CHECK(result.exit_code == kErrOther);
    size_t at = 0;
    for (const char* rank : {"rank 0", "rank 1", "rank 2"}) {
      at = result.err.find(std::string("DetMPI: ") + rank + ": MPI_Send: called after MPI_Finalize, at ", at);
      CHECK(at != std::string::npos);
    }
    CHECK(times(result.err, "\n") == 3);
    CHECK(times(result.err, "the job ends") == 0);
  }
}

TEST_CASE("an error that nobody handles ends the job and names the call") {
  for (const char* start : kStarts) {
    for (const char* how : {"argument", "truncate"}) {
      const RunResult result = end(start, how, "1", 0);
      INFO(how << ", " << start << "\n" << result.err);
      CHECK(result.exit_code > 0);
      CHECK(result.exit_code != 98);
      CHECK(contains(result.err, "rank 1"));
      CHECK(contains(result.err, how == std::string("argument") ? "MPI_Send" : "MPI_Recv"));
      CHECK(contains(result.err, "ends.cpp:"));  // where the call is
      CHECK(times(result.err, "\n") == 1);
    }
  }
}

TEST_CASE("a killed detmpirun takes all its ranks along") {
  for (const char* start : kStarts) {
    Running running(job(kRanks, "ends", {start, kPrintAtOnce}, {"never", "-1"}));
    REQUIRE(running.wait_for_lines(kRanks));
    running.signal(SIGKILL);
    const RunResult result = running.finish();
    CHECK(result.signal == SIGKILL);
    CHECK(all_gone(running.numbers()));
  }
}

TEST_CASE("a killed monitor of fork start takes all its ranks along") {
  Running running(job(kRanks, "ends", {"--start=fork", kPrintAtOnce}, {"never", "-1"}));
  REQUIRE(running.wait_for_lines(kRanks));
  // The monitor is the ranks' parent.
  const int monitor = parent_of(running.numbers().front());
  REQUIRE(monitor > 1);
  REQUIRE(monitor != running.pid());
  REQUIRE(kill(monitor, SIGKILL) == 0);
  const RunResult result = running.finish();
  CHECK(result.exit_code == 128 + SIGKILL);
  CHECK(!result.err.empty());
  CHECK(all_gone(running.numbers()));
}

TEST_CASE("a crash is the same crash in all runs of --verify") {
  auto argv = job(3, "ends", {"--verify=4"});
  argv.insert(argv.end(), {"segv", "1", "0", "quiet"});
  const auto run = test_support::run_command(argv);
  INFO(run.err);
  CHECK(run.exit_code == 128 + SIGSEGV);
  CHECK(run.err.find("died of signal 11") != std::string::npos);
  CHECK(run.err.find("verified: 4 runs, 3 ranks, events up to the early end, output ") != std::string::npos);
  CHECK(run.err.find(" bytes, exit code 139: all the same") != std::string::npos);
}
