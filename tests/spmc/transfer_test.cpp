// Producing and consuming within one generation, in every mode.
#include "job.hpp"

using namespace spmc_test;

namespace {

// `body` runs in a job in each mode, twice, and must end well and the same.
}  // namespace

TEST_CASE("a consumer reads what the producer wrote and fixed", "[transfer]") {
  in_every_mode([](Job& job) {
    constexpr size_t kSize = 40 * kPage;
    void* region = spmcR_alloc(kSize);
    NEED(region != nullptr);
    NEED(spmcR_copycons(1, region, region, kSize) == 0);
    job.start(1, [&] {
      std::vector<std::byte> got(kSize);
      NEED(spmcR_read(region, got.data(), kSize) == 0);
      NEED(is_pattern(got.data(), kSize, 7));
      NEED(spmc_check_invariants() == nullptr);
      std::printf("read\n");
      return 0;
    });
    const auto data = pattern(kSize, 7);
    NEED(spmcR_write(region, data.data(), kSize) == 0);
    NEED(spmcR_setfix(region, kSize) == 0);
    NEED(spmc_check_invariants() == nullptr);
    job.join_well(1);
    Job::check(41);
    NEED(spmcR_clear(region, kSize) == 0);
    Job::check(0);
  });
}

TEST_CASE("a producer writes and a consumer reads by touching the pages", "[transfer]") {
  in_every_mode([](Job& job) {
    constexpr size_t kSize = 100 * kPage;
    auto* region = static_cast<std::byte*>(spmcR_alloc(kSize));
    NEED(spmcR_copycons(1, region, region, kSize) == 0);
    job.start(1, [&] {
      NEED(is_pattern(region, kSize, 3));
      NEED(spmc_check_invariants() == nullptr);
      struct spmc_counters counters;
      spmc_get_counters(&counters);
      NEED(counters.faults >= 2 && counters.faults <= 100);
      return 0;
    });
    const auto data = pattern(kSize, 3);
    std::memcpy(region, data.data(), kSize);
    NEED(spmc_check_invariants() == nullptr);
    NEED(spmcR_setfix(region, kSize) == 0);
    NEED(std::memcmp(region, data.data(), kSize) == 0);
    NEED(spmc_check_invariants() == nullptr);
    job.join_well(1);
    Job::check(101);
  });
}
