// Running out of things, and sizes beyond the usual.
#include "job.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "support/leak_check.hpp"

using namespace spmc_test;

namespace {

std::byte* region_of(size_t size) { return static_cast<std::byte*>(spmcR_alloc(size)); }

size_t number_in(const char* path) {
  size_t number = 0;
  std::ifstream(path) >> number;
  return number;
}

// They do not where a system allows very many, and the sanitizer maps memory all the time.
bool mappings_can_run_out() {
  constexpr size_t kUsual = 65530;
  return !test_support::kAddressSanitizer && number_in("/proc/sys/vm/max_map_count") <= 2 * kUsual;
}

// No further mapping: a range that is not used, and of which every second page has other access.
class AllMappings {
 public:
  AllMappings() {
    size_ = 2 * (number_in("/proc/sys/vm/max_map_count") + 1) * kPage;
    base_ =
        static_cast<std::byte*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    NEED(base_ != MAP_FAILED);
    for (size_t page = 1; mprotect(base_ + page * kPage, kPage, PROT_READ) == 0; page += 2) NEED(page * kPage < size_);
    NEED(errno == ENOMEM);
  }
  ~AllMappings() { munmap(base_, size_); }

 private:
  std::byte* base_;
  size_t size_;
};

}  // namespace

TEST_CASE("running out of frames is ENOMEM, changes nothing, and passes", "[limits]") {
  for (const char* mode : {"b.nwr", "b.wr", "b.wr2"}) {
    INFO(mode);
    const auto runs = test_support::run_twice([&] {
      Job job(mode, 128 * kPage);  // two chunks, of which the first is not for use
      constexpr size_t kSize = 100 * kPage;
      std::byte* region = region_of(kSize);
      NEED(spmcR_copycons(1, region, region, kSize) == 0);
      const auto data = pattern(kSize, 1);
      NEED_ERRNO(spmcR_write(region, data.data(), kSize), ENOMEM);
      NEED(std::strstr(spmc_last_error(), "frames") != nullptr);
      NEED_ERRNO(spmcR_setfix(region, kSize), ENOMEM);
      NEED(spmcR_test(region) == 0);
      NEED_ERRNO(spmcR_extend(region + kSize - kPage, region, kSize - kPage), ENOMEM);
      NEED(spmcR_alloc(kPage) == nullptr && errno == ENOMEM);
      NEED(spmc_check_all_invariants() == nullptr);
      NEED(spmcR_setfix(region, 10 * kPage) == 0);  // these have their frames
      job.start(1, [&] {
        std::byte byte{1};
        NEED(spmcR_read(region, &byte, 1) == 0);
        NEED(byte == std::byte{0});
        return 0;
      });
      job.join_well(1);
      NEED(spmcR_clear(region, kSize) == 0);
      Job::check(0);
      NEED(region_of(kPage) == region);
      return 0;
    });
    CHECK(runs.first.err == "");
    CHECK(runs.first.exit_code == 0);
  }
}

TEST_CASE("mode wr works on where a process can have no more mappings", "[limits]") {
  if (!mappings_can_run_out()) return test_support::skip_test("mappings do not run out here");
  const auto run = test_support::run_same([&] {
    Job job("b.wr");
    constexpr size_t kSize = 8 * kPage;
    std::byte* region = region_of(kSize);
    NEED(spmcR_copycons(1, region, region, kSize) == 0);
    const auto write = [&](size_t page, uint32_t number) {
      NEED(spmcR_write(region + page * kPage + 8, &number, sizeof number) == 0);
      uint32_t back = 0;
      NEED(spmcR_read(region + page * kPage + 8, &back, sizeof back) == 0);
      NEED(back == number);
    };
    write(1, 1);
    {
      const AllMappings all;
      write(1, 2);
      write(3, 3);
      write(5, 4);
      NEED(spmc_check_invariants() == nullptr);
    }
    write(5, 5);
    write(7, 6);
    NEED(spmcR_setfix(region, kSize) == 0);
    job.start(1, [&] {
      const AllMappings all;
      for (const auto& [page, number] : {std::pair{1u, 2u}, {3u, 3u}, {5u, 5u}, {7u, 6u}, {0u, 0u}}) {
        uint32_t got[3] = {9, 9, 9};
        NEED(spmcR_read(region + page * kPage + 4, got, sizeof got) == 0);
        NEED(got[0] == 0 && got[1] == number && got[2] == 0);
      }
      NEED(spmc_check_invariants() == nullptr);
      return 0;
    });
    job.join_well(1);
    return 0;
  });
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}

TEST_CASE("a page that cannot be opened at a fault ends the space with the limit's name", "[limits]") {
  if (!mappings_can_run_out()) return test_support::skip_test("mappings do not run out here");
  const auto run = test_support::run_same([&] {
    Job job("b.nwr");
    std::byte* region = region_of(64 * kPage);
    const AllMappings all;
    region[30 * kPage] = std::byte{1};
    return 0;
  });
  CHECK(run.err.find("vm.max_map_count") != std::string::npos);
  CHECK(run.exit_code == spmc::base::kCheckExit);
}

TEST_CASE("running out of private memory is ENOMEM too", "[limits]") {
  if (test_support::kAddressSanitizer) return test_support::skip_test("its memory has no limit");
  const auto run = test_support::run_same([] {
    constexpr uint32_t kChunks = 60'000;  // noting them takes more than the heap has left
    const Job job("b.wr2", uint64_t{2 * kChunks * spmc::kFramesPerChunk} * kPage);
    const rlimit none{0, RLIM_INFINITY};
    rlimit before;
    NEED(getrlimit(RLIMIT_AS, &before) == 0);
    NEED(setrlimit(RLIMIT_AS, &none) == 0);
    const auto run_of_frames = spmc::frame_pool().try_alloc_run(kChunks * spmc::kFramesPerChunk);
    NEED(!run_of_frames && run_of_frames.error().code == ENOMEM);
    NEED(spmc::frames_in_use() == 0);
    uint32_t frames = 0;
    for (; spmc::frame_pool().try_alloc().ok(); ++frames) NEED(frames < kChunks * spmc::kFramesPerChunk);
    NEED(spmc::frames_in_use() == frames);
    NEED(setrlimit(RLIMIT_AS, &before) == 0);
    NEED(spmc::frame_pool().try_alloc().ok());
    NEED(spmc::frame_pool().try_alloc_run(kChunks * spmc::kFramesPerChunk).ok());
    return 0;
  });
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}

TEST_CASE("a window of any size is a window", "[limits]") {
  const auto run = test_support::run_same([] {
    const Job job("b.wr2", 64 << 20, uint64_t{16} << 40);
    NEED(spmc::segment::header().window_pages == ~uint32_t{0});
    return 0;
  });
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}

TEST_CASE("regions and address space run out cleanly", "[limits]") {
  in_a_job([](Job&) {
    NEED(spmcR_alloc(0) == nullptr && errno == EINVAL);
    NEED(spmcR_alloc(100) == nullptr && errno == EINVAL);
    NEED(spmcR_alloc((size_t{1} << 14) * kPage + kPage) == nullptr && errno == ENOMEM);
    std::byte* large = region_of(((size_t{1} << 14) - 300) * kPage);
    NEED(large != nullptr);
    NEED(region_of(301 * kPage) == nullptr && errno == ENOMEM);
    std::vector<std::byte*> small;
    while (std::byte* region = region_of(kPage)) small.push_back(region);
    NEED(errno == ENOMEM && small.size() == 255);
    NEED(spmcR_clear(small[7], kPage) == 0);
    NEED(region_of(kPage) == small[7]);
    NEED(spmc_check_all_invariants() == nullptr);
    for (std::byte* region : small) NEED(spmcR_clear(region, kPage) == 0);
    NEED(spmcR_clear(large, ((size_t{1} << 14) - 300) * kPage) == 0);
    Job::check(0);
  });
}

TEST_CASE("a region of several anchor pages works like a small one", "[limits]") {
  in_every_mode([](Job& job) {
    constexpr size_t kPages = 2500;
    constexpr size_t kData = (kPages - 1) * kPage;
    std::byte* region = region_of(kPages * kPage);
    NEED(spmcR_copycons(1, region, region, kPages * kPage) == 0);
    job.start(1, [&] {
      std::vector<std::byte> got(kData);
      for (uint32_t g = 0; g < 3; ++g) {
        NEED(spmcR_read(region, got.data(), kData) == 0);
        NEED(is_pattern(got.data(), kData, g));
        NEED(spmc_check_invariants() == nullptr);
        NEED(spmcR_extend(region + kData, region, kData) == 0);
      }
      return 0;
    });
    for (uint32_t g = 0; g < 3; ++g) {
      const auto data = pattern(kData, g);
      NEED(spmcR_write(region, data.data(), kData) == 0);
      NEED(spmcR_setfix(region, kData) == 0);
      NEED(spmcR_extend(region + kData, region, kData) == 0);
    }
    job.join_well(1);
    NEED(spmc_check_all_invariants() == nullptr);
    NEED(spmcR_clear(region, kPages * kPage) == 0);
    Job::check(0);
  });
}

TEST_CASE("forty consumers of one region", "[limits]") {
  in_a_job([](Job& job) {
    constexpr size_t kSize = 4 * kPage;
    std::byte* region = region_of(kSize);
    for (int child = 1; child <= 40; ++child) {
      NEED(spmcR_copycons(child, region, region, kSize) == 0);
      job.start(static_cast<uint32_t>(child), [&] {
        for (uint32_t g = 0; g < 20; ++g) {
          uint32_t got = 0;
          NEED(spmcR_read(region, &got, sizeof got) == 0);
          NEED(got == g);
          NEED(spmcR_extend(region + 3 * kPage, region, 3 * kPage) == 0);
        }
        return 0;
      });
    }
    for (uint32_t g = 0; g < 20; ++g) {
      NEED(spmcR_write(region, &g, sizeof g) == 0);
      NEED(spmcR_publish(region, sizeof g) == 0);
      NEED(spmcR_extend(region + 3 * kPage, region, 3 * kPage) == 0);
    }
    for (uint32_t child = 1; child <= 40; ++child) job.join_well(child);
    NEED(spmc_check_all_invariants() == nullptr);
    NEED(spmcR_clear(region, kSize) == 0);
    Job::check(1);  // the page of holders stays with the entry of the region table
    NEED(region_of(kSize) == region);
    for (int child = 1; child <= 40; ++child) NEED(spmcR_copycons(child, region, region, kSize) == 0);
    for (uint32_t child = 1; child <= 40; ++child) spmc::reap({child}, {0});
    NEED(spmcR_clear(region, kSize) == 0);
    Job::check(1);
  });
}

// 1 GiB; SPMC_STREAM_GIB=100 for the full length.
TEST_CASE("a stream of any length stays within its window of frames", "[limits]") {
  const char* wanted = std::getenv("SPMC_STREAM_GIB");
  const size_t gib = wanted == nullptr ? 1 : std::strtoul(wanted, nullptr, 10);
  constexpr size_t kSize = 512 << 10;
  constexpr size_t kData = kSize - kPage;
  const auto run = test_support::run_same([&] {
    Job job;
    const size_t rounds = (gib << 30) / kData + 1;
    std::byte* region = region_of(kSize);
    NEED(spmcR_copycons(1, region, region, kSize) == 0);
    const auto data = pattern(kData, 1);
    job.start(1, [&] {
      std::vector<std::byte> got(kData);
      for (size_t g = 0; g < rounds; ++g) {
        NEED(spmcR_read(region, got.data(), kData) == 0);
        uint64_t number;
        std::memcpy(&number, got.data() + g % 4096, sizeof number);
        NEED(number == g);
        NEED(spmcR_extend(region + kData, region, kData) == 0);
      }
      return 0;
    });
    size_t most = 0;
    for (size_t g = 0; g < rounds; ++g) {
      NEED(spmcR_write(region, data.data(), kData) == 0);
      NEED(spmcR_write(region + g % 4096, &g, sizeof g) == 0);
      NEED(spmcR_setfix(region, kData) == 0);
      NEED(spmcR_extend(region + kData, region, kData) == 0);
      if (g % 16 == 0) most = std::max(most, spmc::frames_in_use());
    }
    job.join_well(1);
    // The bound that spmc.h states: window * (pages + anchor pages).
    NEED(most <= 8 * (128 + 1));
    NEED(spmc::frame_pool().chunks() * spmc::kFramesPerChunk <= 2 * 8 * (128 + 1));
    NEED(spmcR_clear(region, kSize) == 0);
    Job::check(0);
    return 0;
  });
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}

TEST_CASE("without consumers a producer goes on for ever", "[limits]") {
  in_a_job([](Job&) {
    constexpr size_t kSize = 16 * kPage;
    std::byte* region = region_of(kSize);
    for (int g = 0; g < 5000; ++g) {
      NEED(spmcR_setfix(region, kSize - kPage) == 0);
      NEED(spmcR_extend(region + kSize - kPage, region, kSize - kPage) == 0);
    }
    NEED(spmc::frames_in_use() <= 2 * (16 + 1));
  });
}
