// Every error of the API: -1 or NULL, errno, a sentence, and nothing has changed.
#include "job.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

using namespace spmc_test;

namespace {

constexpr size_t kRegion = 4 * kPage;
std::byte* const kBegin = reinterpret_cast<std::byte*>(spmc::kSpmcVmAddress);
constexpr size_t kVmBytes = size_t{1 << 14} * kPage;
std::byte g_buffer[kPage];

std::byte* region_of(size_t size) {
  auto* region = static_cast<std::byte*>(spmcR_alloc(size));
  NEED(region != nullptr);
  return region;
}

void* spmcR_alloc_fails(size_t size, int code) {
  errno = 0;
  void* region = spmcR_alloc(size);
  NEED(errno == code);
  return region;
}

}  // namespace

TEST_CASE("before spmc_init every call is an error", "[errors]") {
  const auto run = test_support::run_same([] {
    NEED_ERRNO(spmcR_write(kBegin, g_buffer, 1), EINVAL);
    NEED_ERRNO(spmcR_test(kBegin), EINVAL);
    NEED(spmcR_alloc_fails(kPage, EINVAL) == nullptr);
    NEED(spmc_check_invariants() == nullptr);
    NEED(spmc_init(4) == 0);
    NEED_ERRNO(spmc_init(4), EEXIST);
    NEED(spmcR_alloc(kPage) == kBegin);
    return 0;
  });
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}

TEST_CASE("addresses and sizes are checked", "[errors]") {
  in_a_job([](Job&) {
    std::byte* region = region_of(kRegion);
    int on_the_stack = 0;
    NEED_ERRNO(spmcR_write(&on_the_stack, g_buffer, 1), EINVAL);
    NEED_ERRNO(spmcR_read(kBegin + kVmBytes, g_buffer, 1), EINVAL);
    NEED_ERRNO(spmcR_read(kBegin + kVmBytes - 1, g_buffer, 2), EINVAL);
    NEED_ERRNO(spmcR_read(kBegin - 1, g_buffer, 1), EINVAL);
    NEED_ERRNO(spmcR_write(region, g_buffer, ~size_t{0}), EINVAL);
    NEED_ERRNO(spmcR_write(region + kRegion - 1, g_buffer, 2), EINVAL);
    NEED_ERRNO(spmcR_write(region + kRegion, g_buffer, 1), EFAULT);
    NEED_ERRNO(spmcR_test(region + kRegion), EFAULT);
    NEED_ERRNO(spmcR_wait(region), EPERM);
    NEED_ERRNO(spmcR_setfix(region + 1, kPage), EINVAL);
    NEED_ERRNO(spmcR_setfix(region, kPage - 1), EINVAL);
    NEED_ERRNO(spmcR_setfix(region, 0), EINVAL);
    NEED_ERRNO(spmcR_setfix(region, kRegion + kPage), EINVAL);
    NEED_ERRNO(spmcR_publish(region + kRegion - 1, 2), EINVAL);
    NEED(spmcR_write(region, g_buffer, 0) == 0);
    NEED_ERRNO(spmcR_publish(region, 0), EINVAL);
    NEED_ERRNO(spmcR_publish(region + 8, 0), EINVAL);
    Job::check(1);
  });
}

TEST_CASE("extension takes exactly the whole region", "[errors]") {
  in_a_job([](Job&) {
    std::byte* region = region_of(kRegion);
    std::byte* other = region_of(kRegion);
    const size_t data = kRegion - kPage;
    NEED_ERRNO(spmcR_extend(region + data, region, data - kPage), EINVAL);
    NEED_ERRNO(spmcR_extend(region + kPage, region, data), EINVAL);
    NEED_ERRNO(spmcR_extend(region, region, kRegion), EINVAL);
    NEED_ERRNO(spmcR_extend(other, region, data), EINVAL);
    NEED_ERRNO(spmcR_extend(region + data + 1, region, data), EINVAL);
    NEED_ERRNO(spmcR_extend(other + kRegion, region, data), EFAULT);
    NEED(spmcR_setfix(region + data, kPage) == 0);
    NEED_ERRNO(spmcR_extend(region + data, region, data), EINVAL);  // fixed as data
    NEED(spmcR_extend(region, region + kPage, data) == 0);
    Job::check(spmc::frames_in_use());
  });
}

TEST_CASE("a consumer may do nothing that is the producer's", "[errors]") {
  in_a_job([](Job& job) {
    std::byte* region = region_of(kRegion);
    NEED(spmcR_copycons(1, region, region, kRegion) == 0);
    job.start(1, [&] {
      NEED_ERRNO(spmcR_write(region, g_buffer, 1), EPERM);
      NEED_ERRNO(spmcR_setfix(region, kPage), EPERM);
      NEED_ERRNO(spmcR_publish(region, 1), EPERM);
      NEED_ERRNO(spmcR_transown(2, region, region, kRegion), EPERM);
      NEED(spmcR_test(region) == 0);
      return 0;
    });
    job.join_well(1);
    Job::check(1);
  });
}

TEST_CASE("handing over: the arguments", "[errors]") {
  in_a_job([](Job&) {
    std::byte* region = region_of(kRegion);
    std::byte* other = region_of(kRegion);
    NEED_ERRNO(spmcR_copycons(1, region, region, kRegion - kPage), EINVAL);
    NEED_ERRNO(spmcR_copycons(1, region + kPage, region, kRegion - kPage), EINVAL);
    NEED_ERRNO(spmcR_copycons(1, region, region + 8, kRegion), EINVAL);
    NEED_ERRNO(spmcR_copycons(1, region, g_buffer, kRegion), EINVAL);
    NEED_ERRNO(spmcR_copycons(1, region, kBegin + kVmBytes - kPage, kRegion), EINVAL);
    NEED_ERRNO(spmcR_copycons(64, region, region, kRegion), ESRCH);
    NEED_ERRNO(spmcR_copycons(0, region, region, kRegion), EPERM);
    NEED_ERRNO(spmcR_copycons(1, region + 2 * kRegion, region, kRegion), EFAULT);
    NEED(spmcR_copycons(1, region, region, kRegion) == 0);
    NEED_ERRNO(spmcR_copycons(1, region, region, kRegion), EEXIST);
    NEED_ERRNO(spmcR_copycons(1, region, region + kRegion, kRegion), EEXIST);
    NEED_ERRNO(spmcR_transown(1, region, region + kRegion, kRegion), EEXIST);
    NEED_ERRNO(spmcR_copycons(1, other, region + kPage, kRegion), EEXIST);
    NEED(spmcR_place(1, kRegion) == region + kRegion);
    NEED(spmcR_copycons(1, other, spmcR_place(1, kRegion), kRegion) == 0);
    NEED(spmcR_extend(region, region + kPage, kRegion - kPage) == 0);
    NEED_ERRNO(spmcR_transown(1, region, region, kRegion), EBUSY);  // it has not read the first generation
    spmc::reap({1}, {0});
    Job::check(spmc::frames_in_use());
  });
}

TEST_CASE("the space layer says who may be given regions", "[errors]") {
  in_a_job([](Job&) {
    std::byte* region = region_of(kRegion);
    spmc::set_child_hook([](int child, spmc::SpaceId* id) {
      *id = {static_cast<uint32_t>(child + 10)};
      return child == 1 ? 0 : child == 2 ? EBUSY : ESRCH;
    });
    NEED_ERRNO(spmcR_copycons(2, region, region, kRegion), EBUSY);
    NEED_ERRNO(spmcR_transown(3, region, region, kRegion), ESRCH);
    NEED(spmcR_place(2, kPage) == nullptr && errno == EBUSY);
    NEED(spmcR_transown(1, region, region, kRegion) == 0);
    NEED(spmcR_place(1, kPage) == region + kRegion);
    spmc::reap({11}, {0});
    NEED_ERRNO(spmcR_wait(region), EPIPE);
    NEED(spmcR_place(1, kPage) == region);
  });
}

TEST_CASE("a new space has had no error", "[errors]") {
  in_a_job([](Job& job) {
    NEED_ERRNO(spmcR_clear(kBegin, kPage), EFAULT);
    job.start(1, [] {
      NEED(*spmc_last_error() == 0);
      return 0;
    });
    job.join_well(1);
  });
}

TEST_CASE("a process that a space forks by itself is no space", "[errors]") {
  const auto fork_plainly = [](const std::function<void()>& body) {
    std::fflush(nullptr);
    const pid_t process = fork();
    NEED(process >= 0);
    if (process == 0) {
      body();
      _exit(0);
    }
    int status = 0;
    NEED(waitpid(process, &status, 0) == process && WIFEXITED(status));
    return WEXITSTATUS(status);
  };
  const auto run = in_a_job([&](Job& job) {
    std::byte* region = region_of(kRegion);
    const size_t data = kRegion - kPage;
    NEED(spmcR_copycons(1, region, region, kRegion) == 0);
    job.start(1, [&] {
      char got[6];
      NEED(spmcR_read(region, got, sizeof got) == 0);
      NEED(std::memcmp(got, "theirs", sizeof got) == 0);
      return 0;
    });
    const int plain = fork_plainly([&] {
      NEED_ERRNO(spmcR_write(region, "plain!", 6), EPERM);
      NEED_ERRNO(spmcR_read(region, g_buffer, 6), EPERM);
      NEED_ERRNO(spmcR_publish(region, 6), EPERM);
      NEED_ERRNO(spmcR_setfix(region, kPage), EPERM);
      NEED_ERRNO(spmcR_test(region), EPERM);
      NEED_ERRNO(spmcR_extend(region + data, region, data), EPERM);
      NEED_ERRNO(spmcR_copycons(2, region, region, kRegion), EPERM);
      NEED_ERRNO(spmcR_clear(region, kRegion), EPERM);
      NEED(spmcR_alloc_fails(kPage, EPERM) == nullptr);
      NEED(std::strstr(spmc_last_error(), "is no space") != nullptr);
    });
    NEED(plain == 0);
    NEED(fork_plainly([&] { region[0] = std::byte{'p'}; }) == spmc::base::kViolationExit);
    NEED(spmcR_write(region, "theirs", 6) == 0);
    NEED(spmcR_publish(region, 6) == 0);
    job.join_well(1);
    Job::check(2);
  });
  CHECK(run.err.find("this process was forked without space_start: it is no space") != std::string::npos);
}

TEST_CASE("after clear nothing is left to use", "[errors]") {
  in_a_job([](Job&) {
    std::byte* region = region_of(kRegion);
    NEED(spmcR_write(region, "old", 3) == 0);
    NEED_ERRNO(spmcR_clear(region, kPage), EINVAL);
    NEED(spmcR_clear(region, kRegion) == 0);
    Job::check(0);
    NEED_ERRNO(spmcR_clear(region, kRegion), EFAULT);
    NEED_ERRNO(spmcR_write(region, g_buffer, 1), EFAULT);
    NEED_ERRNO(spmcR_read(region, g_buffer, 1), EFAULT);
    NEED_ERRNO(spmcR_test(region), EFAULT);
    NEED_ERRNO(spmcR_copycons(1, region, region, kRegion), EFAULT);
    NEED(region_of(kRegion) == region);  // the lowest free address again
    NEED(spmcR_read(region, g_buffer, 4) == 0);
    NEED(g_buffer[0] == std::byte{0});
  });
}

TEST_CASE("modes have names", "[errors]") {
  in_a_job([](Job&) {
    for (const std::string& name : all_modes()) {
      const int mode = spmc_parse_mode(name.c_str());
      NEED(mode >= 0 && name == spmc_mode_name(mode));
      NEED(spmc_set_mode(mode) == 0 && spmc_get_mode() == mode);
    }
    NEED_ERRNO(spmc_parse_mode("wr2"), EINVAL);
    NEED_ERRNO(spmc_set_mode(3), EINVAL);
    NEED_ERRNO(spmc_set_mode(8), EINVAL);
    NEED_ERRNO(spmc_set_mode(-1), EINVAL);
    NEED(std::strcmp(spmc_mode_name(99), "?") == 0);
    NEED(spmc_get_mode() == (SPMC_WR2 | SPMC_NONBLOCKING));
  });
}

TEST_CASE("the environment chooses the mode", "[errors]") {
  const auto run = test_support::run_same([] {
    setenv("DLINUX_MODE", "best", 1);
    NEED_ERRNO(spmc_init(2), EINVAL);
    setenv("DLINUX_MODE", "nb.wr", 1);
    NEED(spmc_init(2) == 0);
    NEED(spmc_get_mode() == (SPMC_WR | SPMC_NONBLOCKING));
    return 0;
  });
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}
