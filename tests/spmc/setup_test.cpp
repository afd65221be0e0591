// Making the job's memory where something is unusual: what the process was started with, and how it ends.
#include "job.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

using namespace spmc_test;

namespace {

long g_physical_pages = 0;  // what the machine claims to have; 0: the truth

std::byte* g_region_at_exit = nullptr;

// Registered before any object of the libraries is made, so it runs when all of them are destroyed.
[[gnu::constructor(101)]] void look_last_at_exit() {
  std::atexit([] {
    if (g_region_at_exit == nullptr) return;
    const bool there = spmc::segment::attached() && spmc::segment::header().magic == spmc::kMagic;
    _exit(there && *g_region_at_exit == std::byte{'x'} ? 0 : 98);
  });
}

rlimit limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit;
  NEED(getrlimit(resource, &limit) == 0);
  return limit;
}

void must_work() {
  auto* region = static_cast<std::byte*>(spmcR_alloc(4 * kPage));
  NEED(region != nullptr);
  NEED(spmcR_write(region, "x", 1) == 0);
  NEED(spmcR_setfix(region, kPage) == 0);
  NEED(region[0] == std::byte{'x'});
  NEED(spmc_check_all_invariants() == nullptr);
}

void runs_well(const std::function<int()>& body) {
  const auto run = test_support::run_same(body);
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
}

}  // namespace

extern "C" long sysconf(int name) noexcept {
  static const auto real = reinterpret_cast<long (*)(int)>(dlsym(RTLD_NEXT, "sysconf"));
  return name == _SC_PHYS_PAGES && g_physical_pages != 0 ? g_physical_pages : real(name);
}

TEST_CASE("the segment leaves the numbers of the standard files alone", "[setup]") {
  for (const int closed : {0, 1, 2}) {
    INFO(closed);
    runs_well([&] {
      for (int fd = closed; fd <= 2; ++fd) close(fd);
      NEED(spmc_init(2) == 0);
      NEED(spmc::segment::descriptor() > 2);
      for (int fd = closed; fd <= 2; ++fd) NEED(write(fd, "x", 1) == -1 && errno == EBADF);
      must_work();
      return 0;
    });
  }
}

TEST_CASE("a machine may have more memory than there are numbers for frames", "[setup]") {
  runs_well([] {
    g_physical_pages = (3l << 40) / static_cast<long>(kPage);
    NEED(spmc_init(2) == 0);
    NEED(spmc::segment::header().frames == spmc::kMaxFrames);
    must_work();
    return 0;
  });
}

TEST_CASE("the limit on the size of files does not concern the segment", "[setup]") {
  runs_well([] {
    rlimit limit = limit_of(RLIMIT_FSIZE);
    limit.rlim_cur = 1 << 20;
    NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    NEED(spmc_init(2) == 0);
    NEED(limit_of(RLIMIT_FSIZE).rlim_cur == 1 << 20);
    must_work();
    auto run = spmc::frame_pool().try_alloc_run(spmc::kFramesPerChunk);
    NEED(run.ok());
    spmc::FramePool::free(run.value(), spmc::kFramesPerChunk);
    spmc::frame_pool().trim(0);  // changes the file, and not its size
    return 0;
  });
}

TEST_CASE("where that limit cannot be raised it is an error, no signal", "[setup]") {
  runs_well([] {
    const rlimit limit{1 << 20, 1 << 20};
    NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    NEED_ERRNO(spmc_init(2), EFBIG);
    NEED(std::strstr(spmc_last_error(), "ulimit -f") != nullptr);
    return 0;
  });
}

TEST_CASE("a failed spmc_init leaves nothing behind", "[setup]") {
  runs_well([] {
    void* in_the_way = mmap(reinterpret_cast<void*>(spmc::kSpmcVmAddress), kPage, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    NEED(in_the_way != MAP_FAILED);
    NEED_ERRNO(spmc_init(2), EEXIST);
    NEED(!spmc::segment::attached());
    NEED(spmcR_alloc(kPage) == nullptr && errno == EINVAL);
    NEED(munmap(in_the_way, kPage) == 0);
    NEED(spmc_init(2) == 0);
    must_work();
    return 0;
  });
}

TEST_CASE("the program keeps a signal stack that is large enough", "[setup]") {
  constexpr size_t kEnough = 64 << 10;
  for (const size_t size : {size_t{1} << 20, kEnough / 2}) {
    INFO(size);
    runs_well([&] {
      static std::byte memory[1 << 20];
      const stack_t before{.ss_sp = memory, .ss_flags = 0, .ss_size = size};
      NEED(sigaltstack(&before, nullptr) == 0);
      NEED(spmc_init(2) == 0);
      stack_t after{};
      NEED(sigaltstack(nullptr, &after) == 0);
      NEED((after.ss_sp == memory) == (size >= kEnough));
      NEED(after.ss_size >= kEnough);
      must_work();
      return 0;
    });
  }
}

// Handlers of signals may run until the process has ended.
TEST_CASE("exit leaves the memory where it is", "[setup]") {
  runs_well([] {
    NEED(spmc_init(2) == 0);
    auto* region = static_cast<std::byte*>(spmcR_alloc(kPage));
    NEED(spmcR_write(region, "x", 1) == 0);
    NEED(spmcR_setfix(region, kPage) == 0);
    g_region_at_exit = region;
    std::exit(97);
    return 0;
  });
}
