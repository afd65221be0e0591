// The fault handler: runs of pages, faults that are not ours, waiting inside a fault.
#include "job.hpp"

#include <unistd.h>
#include <csetjmp>
#include <csignal>

using namespace spmc_test;

namespace {

constexpr size_t kRegion = 128 * kPage;
volatile std::byte g_sink;

uint64_t faults() {
  struct spmc_counters counters;
  spmc_get_counters(&counters);
  return counters.faults;
}

volatile std::byte* nowhere() { return reinterpret_cast<std::byte*>(uintptr_t{0x1000}); }

sigjmp_buf g_back;
void leave(int) { siglongjmp(g_back, 1); }
void leave_with_info(int, siginfo_t* info, void*) { siglongjmp(g_back, info->si_addr == nowhere() ? 2 : 3); }

}  // namespace

TEST_CASE("one fault opens a run of pages: 16 for the producer, 64 for a consumer", "[fault]") {
  in_a_job([](Job& job) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    NEED(spmcR_copycons(1, region, region, kRegion) == 0);
    for (size_t page = 0; page < 128; ++page) region[page * kPage] = static_cast<std::byte>(page);
    NEED(faults() == 128 / 16);
    NEED(spmcR_setfix(region, kRegion) == 0);
    job.start(1, [&] {
      NEED(faults() == 0);
      for (size_t page = 0; page < 128; ++page) NEED(region[page * kPage] == static_cast<std::byte>(page));
      NEED(faults() == 128 / 64);
      return 0;
    });
    job.join_well(1);
  });
}

TEST_CASE("a run stops before pages that are not fixed yet", "[fault]") {
  in_a_job([](Job& job) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    NEED(spmcR_copycons(1, region, region, kRegion) == 0);
    NEED(spmcR_setfix(region, 3 * kPage) == 0);
    auto* seen = static_cast<std::byte*>(spmcR_alloc(kPage));
    NEED(spmcR_transown(1, seen, seen, kPage) == 0);
    job.start(1, [&] {
      g_sink = region[0];
      NEED(spmc_check_invariants() == nullptr);
      NEED(spmcR_setfix(seen, kPage) == 0);
      NEED(region[3 * kPage] == std::byte{9});
      NEED(faults() == 2);
      return 0;
    });
    NEED(spmcR_wait(seen) == 0);
    region[3 * kPage] = std::byte{9};
    NEED(spmcR_setfix(region + 3 * kPage, kPage) == 0);
    job.join_well(1);
  });
}

TEST_CASE("a consumer that touches an unfixed page waits in the fault", "[fault]") {
  in_every_mode([](Job& job) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    auto* answer = static_cast<std::byte*>(spmcR_alloc(kRegion));
    NEED(spmcR_copycons(1, region, region, kRegion) == 0);
    NEED(spmcR_transown(1, answer, answer, kRegion) == 0);
    job.start(1, [&] {
      for (size_t page = 0; page < 20; ++page) {
        answer[page * kPage] = static_cast<std::byte>(static_cast<int>(region[page * kPage]) + 1);
        NEED(spmcR_setfix(answer + page * kPage, kPage) == 0);
      }
      return 0;
    });
    for (size_t page = 0; page < 20; ++page) {
      region[page * kPage] = static_cast<std::byte>(page * 2);
      NEED(spmcR_setfix(region + page * kPage, kPage) == 0);
      NEED(answer[page * kPage] == static_cast<std::byte>(page * 2 + 1));
    }
    job.join_well(1);
  });
}

TEST_CASE("touching a page whose producer has ended ends the space with a message", "[fault]") {
  const auto runs = test_support::run_twice([] {
    Job job;
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    NEED(spmcR_transown(1, region, region, kRegion) == 0);
    job.start(1, [] { return 0; });
    job.join_well(1);
    g_sink = region[5];
    return 0;
  });
  CHECK(runs.first.exit_code == spmc::base::kViolationExit);
  CHECK(runs.first.err ==
        "DLinux: space 0: reads at address 0x300000000005, page 0 of region 0.0: the producer has ended or "
        "has cleared the "
        "region\n");
  CHECK(runs.first.err == runs.second.err);
}

TEST_CASE("another fault kills as usual", "[fault]") {
  const auto run = test_support::run_same([] {
    Job job;
    *nowhere() = std::byte{1};
    return 0;
  });
  CHECK(run.signal == SIGSEGV);
}

TEST_CASE("a SIGSEGV that somebody sends kills as usual", "[fault]") {
  const auto run = test_support::run_same([] {
    Job job;
    raise(SIGSEGV);
    return 0;
  });
  CHECK(run.signal == SIGSEGV);
}

TEST_CASE("another fault reaches the handler that was there before", "[fault]") {
  const auto run = test_support::run_same([] {
    std::signal(SIGSEGV, leave);
    Job job;
    if (sigsetjmp(g_back, 1) == 0) {
      *nowhere() = std::byte{1};
      return 1;
    }
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    region[0] = std::byte{1};  // ours still work
    return 0;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a handler with SA_SIGINFO gets the information", "[fault]") {
  const auto run = test_support::run_same([] {
    struct sigaction action {};
    action.sa_sigaction = leave_with_info;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    Job job;
    if (const int way = sigsetjmp(g_back, 1); way != 0) return way;
    *nowhere() = std::byte{1};
    return 1;
  });
  CHECK(run.exit_code == 2);
}

TEST_CASE("the handler needs no room on the program's stack", "[fault]") {
  in_a_job([](Job&) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    // A stack pointer that points to the end of unusable memory: pushing a signal frame there would kill us.
    auto* trap = static_cast<std::byte*>(spmcR_alloc(kPage));
    asm volatile(
        "mov %%rsp, %%rbx\n\t"
        "mov %[trap], %%rsp\n\t"
        "movb $7, (%[page])\n\t"
        "mov %%rbx, %%rsp\n\t"
        :
        : [trap] "r"(trap), [page] "r"(region)
        : "rbx", "memory");
    NEED(region[0] == std::byte{7});
  });
}

TEST_CASE("what a fork inherited is taken away", "[fault]") {
  in_a_job([](Job& job) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    region[0] = std::byte{1};
    NEED(spmcR_setfix(region, kPage) == 0);
    region[kPage] = std::byte{2};
    NEED(spmcR_copycons(1, region, region + kRegion, kRegion) == 0);
    job.start(1, [&] {
      NEED_ERRNO(spmcR_test(region), EFAULT);
      NEED(spmcR_test(region + kRegion) == 1);
      NEED(region[kRegion] == std::byte{1});
      NEED(spmc_check_invariants() == nullptr);
      g_sink = region[0];
      return 0;
    });
    NEED(job.join(1).exit_code == spmc::base::kViolationExit);
    NEED(spmc_check_invariants() == nullptr);
  });
}
