// Spaces and SPMC memory together: handing regions to children, and taking back what dead spaces held.
#include <csignal>
#include <vector>

#include <spmc/spmc.h>
#include <spmc/frames.hpp>

#include "space_test.hpp"

using namespace space_test;

namespace {

constexpr size_t kSize = 16 * SPMC_PAGE_SIZE;

std::byte* at(void* region, size_t offset) { return static_cast<std::byte*>(region) + offset; }

int sleep_for_ever() {
  for (;;) pause();
}

// Allocates a producer and `consumers` children after it, all with the region at its own address.
void* share(int consumers) {
  void* region = spmcR_alloc(kSize);
  for (int i = 0; i <= consumers; ++i) space_alloc(i);
  for (int i = 1; i <= consumers; ++i)
    if (spmcR_copycons(i + 1, region, region, kSize) != 0) std::printf("%s\n", spmc_last_error());
  if (spmcR_transown(1, region, region, kSize) != 0) std::printf("%s\n", spmc_last_error());
  return region;
}

// A reader of a region whose producer will be killed: 5 if it finds EPIPE.
int finds_broken_pipe(void* mine) {
  char c;
  return spmcR_read(mine, &c, 1) == -1 && errno == EPIPE ? 5 : 6;
}

void kill_child(int sid) { kill(static_cast<pid_t>(space::load_life(space::child_slot(sid).value()).pid), SIGKILL); }

void await_sleep(int sid) {
  const auto child = space::child_slot(sid).value();
  while (space::lines(child).wait.sleeping.load() == 0) usleep(1000);
}

}  // namespace

TEST_CASE("siblings exchange data through a region that their parent handed out") {
  const auto run = run_as_root([] {
    void* region = share(2);
    space_start(
        1,
        [](void* mine) {
          const char text[] = "from the first child";
          spmcR_write(mine, text, sizeof text);
          return spmcR_setfix(mine, kSize);
        },
        region);
    for (const int reader : {2, 3})
      space_start(
          reader,
          [](void* mine) {
            char text[64] = {};
            if (spmcR_read(mine, text, sizeof text) != 0) return 1;
            space_ret();  // printing is in the order in which the parent lets its children go on
            std::printf("%s: %s\n", space_path(), text);
            return 0;
          },
          region);
    spmcR_clear(region, kSize);
    if (join(1).exit_code != 0) return 1;
    for (const int reader : {2, 3})
      if (space_sync(reader, 1) != 1 || join(reader).exit_code != 0) return reader;
    if (const char* problem = spmc_check_invariants()) std::printf("%s\n", problem);
    return spmc::frames_in_use() == 0 ? 0 : 9;
  });
  CHECK(run.exit_code == 0);
  CHECK(run.out == "/2: from the first child\n/3: from the first child\n");
}

TEST_CASE("regions go to children only, and only while they do not run") {
  const auto run = run_as_root([] {
    void* region = spmcR_alloc(kSize);
    if (spmcR_copycons(1, region, region, kSize) != -1 || errno != ESRCH) return 1;
    const int sid = space_alloc(0);
    space_start(
        sid, [](void*) { return space_ret(); }, nullptr);
    if (spmcR_copycons(sid, region, region, kSize) != -1 || errno != EBUSY) return 2;
    space_wait(sid);
    if (spmcR_copycons(sid, region, region, kSize) != 0) return 3;
    space_sync(sid, 1);
    space_join(sid);
    if (spmcR_copycons(sid, region, region, kSize) != -1 || errno != ESRCH) return 4;
    return 0;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a region reaches a grandchild through its parent") {
  const auto run = run_as_root([] {
    void* region = spmcR_alloc(kSize);
    const int sid = space_alloc(0);
    if (spmcR_copycons(sid, region, region, kSize) != 0) return 1;
    space_start(
        sid,
        [](void* mine) {
          const int inner = space_alloc(0);
          if (spmcR_copycons(inner, mine, mine, kSize) != 0) return 2;
          spmcR_clear(mine, kSize);
          space_start(
              inner,
              [](void* its) {
                int number = 0;
                return spmcR_read(its, &number, sizeof number) == 0 ? number : 255;
              },
              mine);
          return join(inner).exit_code;
        },
        region);
    const int number = 77;
    spmcR_write(region, &number, sizeof number);
    spmcR_setfix(region, kSize);
    return join(sid).exit_code;
  });
  CHECK(run.exit_code == 77);
}

TEST_CASE("a reader whose producer is killed gets an error, before the parent has noticed") {
  const auto run = run_as_root([] {
    void* region = share(1);
    space_start(
        1, [](void*) { return sleep_for_ever(); }, region);
    space_start(2, finds_broken_pipe, region);
    await_sleep(2);
    kill_child(1);
    const int code = join(2).exit_code;
    return join(1).signal == SIGKILL ? code : 7;
  });
  CHECK(run.exit_code == 5);
}

TEST_CASE("the same when another child of the program has ended and nobody has waited for it") {
  const auto run = run_as_root([] {
    const pid_t own = fork();
    if (own == 0) _exit(0);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(own), &info, WEXITED | WNOWAIT);
    void* region = share(1);
    space_start(
        1, [](void*) { return sleep_for_ever(); }, region);
    space_start(2, finds_broken_pipe, region);
    kill_child(1);
    const int code = join(2).exit_code;
    waitpid(own, nullptr, 0);
    return code;
  });
  CHECK(run.exit_code == 5);
}

TEST_CASE("a reader whose producer dies with its parent gets an error") {
  const auto run = run_as_root([] {
    void* region = share(1);
    space_start(
        1,
        [](void* mine) {
          const int inner = space_alloc(0);
          if (spmcR_transown(inner, mine, mine, kSize) != 0) return 1;
          spmcR_clear(mine, kSize);
          space_start(
              inner, [](void*) { return sleep_for_ever(); }, mine);
          return sleep_for_ever();
        },
        region);
    space_start(2, finds_broken_pipe, region);
    await_sleep(2);
    kill_child(1);
    return join(2).exit_code;
  });
  CHECK(run.exit_code == 5);
}

TEST_CASE("a space that breaks a rule ends with the mark of a violation, and others go on") {
  const auto run = run_as_root([] {
    void* region = share(2);
    space_start(
        1,
        [](void* mine) {
          spmcR_setfix(mine, kSize);
          return 0;
        },
        region);
    space_start(
        2,
        [](void* mine) {
          spmcR_wait(mine);
          *static_cast<volatile char*>(mine) = 1;
          return 0;
        },
        region);
    space_start(
        3,
        [](void* mine) {
          char c = 1;
          return spmcR_read(mine, &c, 1) == 0 && c == 0 ? 0 : 1;
        },
        region);
    const auto offender = join(2);
    return offender.violation == 1 && join(3).exit_code == 0 && join(1).exit_code == 0 ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("frames of killed families come back, whenever they are killed") {
  const auto run = run_as_root([] {
    for (int round = 0; round < 40; ++round) {
      const int sid = start(0, [] {
        for (int i = 0;; ++i) {
          void* region = spmcR_alloc(kSize);
          const int reader = space_alloc(i);
          spmcR_copycons(reader, region, region, kSize);
          space_start(
              reader,
              [](void* mine) {
                char c;
                return spmcR_read(at(mine, kSize - 1), &c, 1);
              },
              region);
          std::vector<char> data(kSize, 'x');
          spmcR_write(region, data.data(), kSize);
          spmcR_setfix(region, kSize);
          space_join(reader);
          spmcR_clear(region, kSize);
        }
        return 0;
      });
      usleep(static_cast<useconds_t>(round * 211 % 5000));
      space_kill(sid);
      if (const char* problem = spmc_check_invariants()) {
        std::printf("%s\n", problem);
        return 1;
      }
      if (spmc::frames_in_use() != 0) return 2;
    }
    return 0;
  });
  CHECK(run.exit_code == 0);
}
