// Extension: generations, the window, recycling of frames.
#include "job.hpp"

using namespace spmc_test;

namespace {

constexpr size_t kDataPages = 7;
constexpr size_t kData = kDataPages * kPage;
constexpr size_t kRegion = kData + kPage;

void produce(std::byte* region, uint32_t generations) {
  for (uint32_t g = 0; g < generations; ++g) {
    const auto data = pattern(kData, g);
    NEED(spmcR_write(region, data.data(), kData) == 0);
    NEED(spmcR_setfix(region, kData) == 0);
    NEED(spmcR_extend(region + kData, region, kData) == 0);
    if (g % 64 == 0) NEED(spmc_check_invariants() == nullptr);
  }
}

void consume(std::byte* region, uint32_t generations) {
  std::vector<std::byte> got(kData);
  for (uint32_t g = 0; g < generations; ++g) {
    NEED(spmcR_read(region, got.data(), kData) == 0);
    NEED(is_pattern(got.data(), kData, g));
    if (g % 64 == 0) NEED(spmc_check_invariants() == nullptr);
    NEED(spmcR_extend(region + kData, region, kData) == 0);
  }
}

}  // namespace

TEST_CASE("a stream passes through one region, to two consumers", "[extend]") {
  in_every_mode([](Job& job) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    for (int child : {1, 2}) {
      NEED(spmcR_copycons(child, region, region, kRegion) == 0);
      job.start(static_cast<uint32_t>(child), [&] {
        consume(region, 300);
        return 0;
      });
    }
    produce(region, 300);
    job.join_well(1);
    job.join_well(2);
    Job::check(spmc::frames_in_use());
    NEED(spmcR_clear(region, kRegion) == 0);
    Job::check(0);
  });
}

TEST_CASE("the last page or the first may be the extension page", "[extend]") {
  in_every_mode([](Job& job) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    NEED(spmcR_copycons(1, region, region, kRegion) == 0);
    job.start(1, [&] {
      char text[8] = {};
      NEED(spmcR_extend(region, region + kPage, kData) == 0);
      NEED(spmcR_read(region + kPage, text, 5) == 0);
      NEED(std::strcmp(text, "after") == 0);
      return 0;
    });
    NEED(spmcR_extend(region, region + kPage, kData) == 0);
    NEED(spmcR_write(region + kPage, "after", 5) == 0);
    NEED(spmcR_setfix(region + kPage, kPage) == 0);
    job.join_well(1);
    Job::check(spmc::frames_in_use());
  });
}

TEST_CASE("a producer is given to a child, which goes on where its parent stands", "[extend]") {
  in_every_mode([](Job& job) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    produce(region, 3);
    NEED(spmcR_write(region, "abc", 3) == 0);
    NEED(spmcR_copycons(2, region, region, kRegion) == 0);
    NEED(spmcR_transown(1, region, region, kRegion) == 0);
    NEED(spmc_check_invariants() == nullptr);
    job.start(1, [&] {
      NEED(spmcR_write(region + 3, "def", 3) == 0);
      NEED(spmcR_setfix(region, kPage) == 0);
      NEED(spmc_check_invariants() == nullptr);
      NEED(spmcR_extend(region + kData, region, kData) == 0);
      produce(region, 5);
      return 0;
    });
    job.start(2, [&] {
      char text[8] = {};
      NEED(spmcR_read(region, text, 7) == 0);
      NEED(std::strcmp(text, "abcdef") == 0);
      NEED(spmcR_extend(region + kData, region, kData) == 0);
      consume(region, 5);
      return 0;
    });
    job.join_well(1);
    job.join_well(2);
    char text[8] = {};
    NEED(spmcR_read(region, text, 7) == 0);  // the parent is a consumer now
    NEED(std::strcmp(text, "abcdef") == 0);
    NEED(spmcR_clear(region, kRegion) == 0);
    Job::check(0);
  });
}
