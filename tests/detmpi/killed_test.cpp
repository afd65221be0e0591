// A rank is killed at some moment of what a program does over and over (programs/killed.cpp): the job ends at once, and
// nothing is left of it.
#include <csignal>
#include <random>
#include <thread>

#include "run_mpi.hpp"
#include "running.hpp"

using namespace mpi_test;

namespace {

constexpr int kRanks = 4;
constexpr int kTimes = 6;
constexpr double kHang = 10;

// Moments are spread over some rounds of the program.
void expect_end(const std::string& what) {
  std::mt19937 random(std::random_device{}());
  for (int i = 0; i < kTimes; ++i) {
    const auto moment = std::chrono::microseconds(random() % 40'000);
    const size_t who = random() % kRanks;
    Running running(job(kRanks, "killed", {kStarts[i % 2], kPrintAtOnce}, {what}));
    REQUIRE(running.wait_for_lines(kRanks));
    const auto ranks = running.numbers();
    std::this_thread::sleep_for(moment);
    REQUIRE(kill(ranks[who], SIGKILL) == 0);
    const Stopwatch watch;
    const RunResult result = running.finish();
    INFO(what << ", " << moment.count() << " us\n" << result.err);
    CHECK(result.exit_code == 128 + SIGKILL);
    CHECK(result.err.find("SIGKILL") != std::string::npos);
    CHECK(watch.seconds() < kHang);
    CHECK(all_gone(ranks));
  }
}

}  // namespace

TEST_CASE("a rank is killed while inter-communicators come and go") { expect_end("between_groups"); }
TEST_CASE("a rank is killed while communicators are copied") { expect_end("copies"); }
TEST_CASE("a rank is killed while many operations are under way") { expect_end("collectives"); }
TEST_CASE("a rank is killed while partitions are under way") { expect_end("partitions"); }
TEST_CASE("a rank is killed while others read from its memory") { expect_end("exposed"); }
TEST_CASE("a rank is killed while others read all of its data") { expect_end("exposed_whole"); }
TEST_CASE("a rank is killed while others read blocks of different lengths from its memory") {
  expect_end("exposed_parts");
}
