// Publication below page grain, and what consumers see of a page's content.
#include "job.hpp"

using namespace spmc_test;

namespace {

constexpr size_t kRegion = 4 * kPage;

std::byte* shared_region(uint32_t consumer) {
  auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
  NEED(region != nullptr);
  NEED(spmcR_copycons(consumer, region, region, kRegion) == 0);
  return region;
}

std::string read_text(const std::byte* va, size_t size) {
  std::string text(size, '?');
  NEED(spmcR_read(va, text.data(), size) == 0);
  return text;
}

}  // namespace

TEST_CASE("short messages share a page, each published by itself", "[publish]") {
  in_every_mode([](Job& job) {
    std::byte* region = shared_region(1);
    job.start(1, [&] {
      for (uint32_t i = 0; i < 100; ++i) {
        uint32_t got = 0;
        NEED(spmcR_read(region + i * 128, &got, sizeof got) == 0);
        NEED(got == i);
        if (i == 50) NEED(spmc_check_invariants() == nullptr);
      }
      return 0;
    });
    for (uint32_t i = 0; i < 100; ++i) {
      NEED(spmcR_write(region + i * 128, &i, sizeof i) == 0);
      NEED(spmcR_publish(region + i * 128, 128) == 0);
      NEED(spmc_check_invariants() == nullptr);
    }
    job.join_well(1);
    Job::check(5);
  });
}

TEST_CASE("test answers byte by byte: published, not yet, never", "[publish]") {
  in_every_mode([](Job& job) {
    std::byte* region = shared_region(1);
    NEED(spmcR_write(region, "0123456789", 10) == 0);
    NEED(spmcR_publish(region, 4) == 0);
    NEED(spmcR_test(region + 3) == 1);
    NEED(spmcR_test(region + 4) == 0);
    job.start(1, [&] {
      NEED(spmcR_test(region + 3) == 1);
      NEED(spmcR_wait(region + 4) == 0);
      NEED(spmcR_test(region + 4) == 1);
      NEED(read_text(region, 10) == "0123456789");
      NEED_ERRNO(spmcR_wait(region + 10), EPIPE);
      NEED_ERRNO(spmcR_test(region + 10), EPIPE);
      char c;
      NEED_ERRNO(spmcR_read(region + 10, &c, 1), EPIPE);
      NEED_ERRNO(spmcR_extend(region + 3 * kPage, region, 3 * kPage), EPIPE);
      NEED(read_text(region, 10) == "0123456789");
      return 0;
    });
    NEED(spmcR_publish(region + 4, 6) == 0);
    NEED(spmcR_clear(region, kRegion) == 0);
    job.join_well(1);
    Job::check(0);
  });
}

TEST_CASE("a page that the producer left behind unpublished is an error, not a hang", "[publish]") {
  in_every_mode([](Job& job) {
    std::byte* region = shared_region(1);
    NEED(spmcR_setfix(region, kPage) == 0);
    NEED(spmcR_extend(region + 3 * kPage, region, 3 * kPage) == 0);
    job.start(1, [&] {
      NEED(spmcR_test(region) == 1);
      NEED_ERRNO(spmcR_test(region + kPage), ENODATA);
      NEED_ERRNO(spmcR_wait(region + kPage), ENODATA);
      char c;
      NEED_ERRNO(spmcR_read(region + kPage, &c, 1), ENODATA);
      NEED_ERRNO(spmcR_read(region + 3 * kPage, &c, 1), EINVAL);  // the extension page
      NEED_ERRNO(spmcR_extend(region, region + kPage, 3 * kPage), EINVAL);
      NEED(spmcR_extend(region + 3 * kPage, region, 3 * kPage) == 0);
      NEED(spmcR_test(region) == 0);
      return 0;
    });
    job.join_well(1);
    Job::check(spmc::frames_in_use());
  });
}

TEST_CASE("what nobody wrote reads as zero, although frames are recycled", "[publish]") {
  in_every_mode([](Job& job) {
    std::byte* region = shared_region(1);
    const auto noise = pattern(3 * kPage, 99);
    // Dirty frames first: generations that nobody reads die as soon as the consumer has passed.
    job.start(1, [&] {
      for (int i = 0; i < 50; ++i) NEED(spmcR_extend(region + 3 * kPage, region, 3 * kPage) == 0);
      std::vector<char> got(3 * kPage, 'x');
      NEED(spmcR_read(region, got.data(), got.size()) == 0);
      for (size_t i = 0; i < got.size(); ++i) {
        const bool written = (i >= 100 && i < 105) || (i >= 2000 && i < 2005);
        NEED(got[i] == (written ? 'w' : 0));
      }
      return 0;
    });
    for (int i = 0; i < 50; ++i) {
      NEED(spmcR_write(region, noise.data(), noise.size()) == 0);
      NEED(spmcR_setfix(region, 3 * kPage) == 0);
      NEED(spmcR_extend(region + 3 * kPage, region, 3 * kPage) == 0);
    }
    NEED(spmcR_write(region + 2000, "wwwww", 5) == 0);
    NEED(spmcR_write(region + 100, "wwwww", 5) == 0);
    NEED(spmcR_publish(region, 1000) == 0);
    NEED(spmcR_setfix(region, 3 * kPage) == 0);
    job.join_well(1);
  });
}

TEST_CASE("a producer reads back what it wrote, zeros elsewhere, and never waits", "[publish]") {
  in_every_mode([](Job&) {
    auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
    NEED(spmcR_write(region + 10, "abc", 3) == 0);
    NEED(read_text(region + 9, 5) == std::string("\0abc\0", 5));
    NEED(read_text(region + kPage, 2) == std::string("\0\0", 2));
    region[12] = std::byte{'X'};  // through a fault, on top of what was written
    NEED(spmcR_write(region + 13, "d", 1) == 0);
    NEED(read_text(region + 10, 4) == "abXd");
    NEED(spmcR_setfix(region, kPage) == 0);
    NEED(read_text(region + 10, 4) == "abXd");
    NEED(region[12] == std::byte{'X'});
    NEED(spmc_check_invariants() == nullptr);
  });
}

TEST_CASE("publishing to the end of a page fixes it", "[publish]") {
  in_a_job([](Job& job) {
    std::byte* region = shared_region(1);
    const auto data = pattern(3 * kPage, 5);
    NEED(spmcR_write(region, data.data(), data.size()) == 0);
    NEED(spmcR_publish(region, 2 * kPage + 7) == 0);
    NEED(spmcR_test(region + 2 * kPage + 6) == 1);
    NEED(spmcR_test(region + 2 * kPage + 7) == 0);
    NEED_ERRNO(spmcR_publish(region + 2 * kPage, 7), EINVAL);
    NEED_ERRNO(spmcR_publish(region + kPage, 2 * kPage), EINVAL);
    NEED(spmcR_publish(region + 2 * kPage, kPage) == 0);
    job.start(1, [&] {
      NEED(is_pattern(region, 3 * kPage, 5));  // whole pages, by touching them
      return 0;
    });
    job.join_well(1);
  });
}

TEST_CASE("a producer need not wait for what it has published", "[publish]") {
  in_a_job([](Job&) {
    std::byte* region = shared_region(1);
    NEED(spmcR_write(region, "0123", 4) == 0);
    NEED_ERRNO(spmcR_wait(region), EPERM);
    NEED(spmcR_publish(region, 4) == 0);
    NEED(spmcR_wait(region + 3) == 0);
    NEED_ERRNO(spmcR_wait(region + 4), EPERM);
    NEED(spmcR_setfix(region, kPage) == 0);
    NEED(spmcR_wait(region + 4) == 0);
  });
}

TEST_CASE("a publication that fails changes nothing", "[publish]") {
  in_a_job([](Job&) {
    std::byte* region = shared_region(1);
    NEED(spmcR_setfix(region + kPage, kPage) == 0);
    const size_t frames = spmc::frames_in_use();
    NEED_ERRNO(spmcR_publish(region, 2 * kPage), EINVAL);
    NEED(spmc::frames_in_use() == frames);
    NEED(spmcR_extend(region, region + kPage, 3 * kPage) == 0);  // the first page holds nothing
  });
}

// The rest of the page is still to be written, so the store is not noticed; but it changes nothing.
TEST_CASE("what a producer stores into published bytes nobody reads", "[publish]") {
  in_every_mode([](Job& job) {
    std::byte* region = shared_region(1);
    NEED(spmcR_write(region, "0123", 4) == 0);
    NEED(spmcR_publish(region, 4) == 0);
    region[0] = std::byte{'X'};
    region[4] = std::byte{'4'};
    NEED(spmcR_setfix(region, kPage) == 0);
    job.start(1, [&] {
      NEED(read_text(region, 5) == "01234");
      return 0;
    });
    job.join_well(1);
  });
}
