// Death at any instant: the reaper finds the tables in order and every frame.
#include "job.hpp"

#include <spmc/region_layout.hpp>

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <random>

using namespace spmc_test;

namespace {

constexpr size_t kRegion = 4 * kPage;
constexpr size_t kData = kRegion - kPage;

int extend(std::byte* region) { return spmcR_extend(region + kData, region, kData); }

// Not whole pages: filling one would take thousands of steps.
void publish_a_little(std::byte* region) {
  for (size_t page = 0; page < 3; ++page) {
    NEED(spmcR_write(region + page * kPage, "abc", 3) == 0);
    NEED(spmcR_publish(region + page * kPage, 3) == 0);
  }
}

// Lets the traced child that has just stopped itself run `steps` instructions and kills it. False when it had
// ended before.
bool kill_after(pid_t pid, unsigned steps) {
  int status = 0;
  NEED(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
  for (unsigned i = 0; i < steps; ++i) {
    NEED(ptrace(PTRACE_SINGLESTEP, pid, 0, 0) == 0);
    NEED(waitpid(pid, &status, 0) == pid);
    if (!WIFSTOPPED(status)) return false;
    if (WSTOPSIG(status) == SIGSTOP) break;  // the end of the deed
    NEED(WSTOPSIG(status) == SIGTRAP);
  }
  const bool within = WSTOPSIG(status) == SIGTRAP;
  kill(pid, SIGKILL);
  return within || steps == 0;
}

// The one that steps and the one that is stepped take turns: on two cores, each step would wake an idle one, which
// takes ten times as long as the step.
void stay_on_this_core() {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(sched_getcpu(), &core);
  NEED(sched_setaffinity(0, sizeof core, &core) == 0);
}

// SPMC_DEATHS=10 kills ten times as often.
unsigned factor() {
  const char* wanted = std::getenv("SPMC_DEATHS");
  return wanted == nullptr ? 1 : static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
}

// Kills space 1 at instants all over `deed`, about `kills` of them by default, and looks at what is left each
// time. `prepare` sets the scene and gives the region; the first space gives up its own end at last, and
// every frame must be free. Runs once: it repeats the deed dozens of times and prints nothing to compare, and stepping
// through it takes seconds.
template <typename Prepare, typename Deed>
void die_within(unsigned kills, Prepare&& prepare, Deed&& deed) {
  const auto run = test_support::run_function([&] {
    stay_on_this_core();
    Job job;
    unsigned length = 0;  // of the deed, in instructions; found by the first round
    const auto round = [&](unsigned steps) {
      std::byte* region = prepare();
      job.start(1, [&] {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        deed(region);
        raise(SIGSTOP);
        return 0;
      });
      const bool within = kill_after(job.pid(1), steps);
      NEED(job.join(1).signal == SIGKILL);
      spmc::reap({2}, {0});  // a child that it may have given something
      const char* problem = spmc_check_all_invariants();
      if (problem != nullptr) std::fprintf(stderr, "killed after %u steps: %s\n", steps, problem);
      NEED(problem == nullptr);
      (void)spmcR_clear(region, kRegion);
      if (spmc::frames_in_use() != 0) std::fprintf(stderr, "killed after %u steps\n", steps);
      Job::check(0);
      return within;
    };
    for (unsigned low = 0, step = 1 << 14; step > 0; step /= 2) {
      if (round(low + step)) low += step;
      length = low;
    }
    NEED(length > 50 && length < 30000);
    std::minstd_rand random(length);
    for (unsigned i = 0; i < kills * factor(); ++i) round(static_cast<unsigned>(random()) % length);
    return 0;
  });
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}

std::byte* producer_is_1() {
  auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
  NEED(spmcR_write(region, "abc", 3) == 0);
  NEED(spmcR_setfix(region, kPage) == 0);
  NEED(extend(region) == 0);
  NEED(spmcR_transown(1, region, region, kRegion) == 0);
  return region;
}

std::byte* producer_is_1_alone() {
  std::byte* region = producer_is_1();
  NEED(spmcR_clear(region, kRegion) == 0);
  return region;
}

std::byte* consumer_is_1() {
  auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
  NEED(spmcR_copycons(1, region, region, kRegion) == 0);
  NEED(spmcR_setfix(region, kPage) == 0);
  NEED(extend(region) == 0);
  return region;
}

}  // namespace

TEST_CASE("a producer dies while it writes and fixes", "[death]") {
  die_within(60, producer_is_1, [](std::byte* region) {
    NEED(spmcR_write(region, "0123456789", 10) == 0);
    NEED(spmcR_publish(region, 5) == 0);
  });
}

TEST_CASE("a producer dies while it extends", "[death]") {
  die_within(50, producer_is_1, [](std::byte* region) {
    publish_a_little(region);
    NEED(extend(region) == 0);
  });
}

TEST_CASE("a producer dies while it extends and frees what is dead", "[death]") {
  die_within(40, producer_is_1_alone, [](std::byte* region) {
    for (int i = 0; i < 3; ++i) {
      publish_a_little(region);
      NEED(extend(region) == 0);
    }
  });
}

TEST_CASE("a producer dies while it clears", "[death]") {
  die_within(60, producer_is_1, [](std::byte* region) { NEED(spmcR_clear(region, kRegion) == 0); });
}

TEST_CASE("the last holder dies while it destroys the region", "[death]") {
  die_within(80, producer_is_1_alone, [](std::byte* region) { NEED(spmcR_clear(region, kRegion) == 0); });
}

TEST_CASE("a space dies while it creates a region", "[death]") {
  die_within(60, producer_is_1, [](std::byte*) { NEED(spmcR_alloc(kRegion) != nullptr); });
}

TEST_CASE("a consumer dies while it reads, extends and clears", "[death]") {
  die_within(80, consumer_is_1, [](std::byte* region) {
    std::byte bytes[16];
    NEED(spmcR_read(region, bytes, sizeof bytes) == 0);
    NEED(extend(region) == 0);
    NEED(spmcR_clear(region, kRegion) == 0);
  });
}

TEST_CASE("a space dies while it hands a region to a child that never starts", "[death]") {
  die_within(25, producer_is_1, [](std::byte* region) {
    NEED(spmcR_transown(2, region, region, kRegion) == 0);
    spmc::reap({2}, {1});
    NEED(spmcR_copycons(2, region, region, kRegion) == 0);
    spmc::reap({2}, {1});
  });
}

TEST_CASE("producer or consumer is killed in the middle of a stream", "[death]") {
  const unsigned rounds = 60 * factor();
  const auto run = test_support::run_same([&] {
    Job job;
    std::minstd_rand random(7);
    for (unsigned round = 0; round < rounds; ++round) {
      auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
      NEED(spmcR_copycons(2, region, region, kRegion) == 0);
      NEED(spmcR_copycons(3, region, region, kRegion) == 0);
      NEED(spmcR_transown(1, region, region, kRegion) == 0);
      if (round % 2 == 0) NEED(spmcR_clear(region, kRegion) == 0);
      spmc_set_mode(static_cast<int>(random() % 3) | (round % 3 == 0 ? SPMC_NONBLOCKING : 0));
      job.start(1, [&] {
        for (uint32_t g = 0;; ++g) {
          const auto data = pattern(kData, g);
          if (spmcR_write(region, data.data(), kData) != 0 || spmcR_setfix(region, kData) != 0) return 1;
          if (extend(region) != 0) return 1;
        }
      });
      const auto consume = [&] {
        std::vector<std::byte> got(kData);
        for (uint32_t g = 0;; ++g) {
          if (spmcR_read(region, got.data(), kData) != 0 || !is_pattern(got.data(), kData, g)) break;
          if (g % 64 == 0) NEED(spmc_check_invariants() == nullptr);
          if (extend(region) != 0) break;
        }
        return errno == EPIPE ? 0 : 2;
      };
      job.start(2, consume);
      job.start(3, consume);
      spmc::base::sleep_ns(random() % 3'000'000);
      if (random() % 2 == 0) {
        job.signal(2, SIGKILL);
        (void)job.join(2);
        spmc::base::sleep_ns(random() % 1'000'000);
        job.signal(1, SIGKILL);
        (void)job.join(1);
      } else {
        job.signal(1, SIGKILL);
        (void)job.join(1);
        job.join_well(2);
      }
      job.join_well(3);
      NEED(spmc_check_all_invariants() == nullptr);
      (void)spmcR_clear(region, kRegion);
      Job::check(0);
    }
    return 0;
  });
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}

TEST_CASE("a holder's record that a dead space was filling in is free again", "[death]") {
  in_a_job([](Job&) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    spmc::RegionSlot& slot = spmc::region_slot({0});
    for (uint32_t i = 1; i < spmc::kInlineHolders; ++i) slot.holders[i].space.store(spmc::kHolderClaimed | (1 + 1));
    slot.holder_limit.store(spmc::kInlineHolders);
    spmc::reap({1}, {0});
    for (int child = 2; child < 7; ++child) NEED(spmcR_copycons(child, region, region, kRegion) == 0);
    Job::check(1);  // a seventh holder would have needed a page
  });
}

// Such a record would outlive the region: its entry's next user enters a second record, and the reaper of that
// user takes out one of the two.
TEST_CASE("the record in a region that a dead space was creating is free again", "[death]") {
  in_a_job([](Job& job) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    NEED(spmcR_clear(region, kRegion) == 0);
    spmc::RegionSlot& slot = spmc::region_slot({0});
    slot.state.store(spmc::region_word(spmc::kRegionClaimed, 1 + 1));
    slot.holders[0].space.store(1 + 1);
    spmc::reap({1}, {0});
    NEED(slot.holders[0].space.load() == 0);
    job.start(1, [] { return spmcR_alloc(kRegion) != nullptr ? 0 : 1; });
    job.join_well(1);
    Job::check(0);
  });
}
