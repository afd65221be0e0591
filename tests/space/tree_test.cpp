// Families of spaces: nesting, many at once, and what happens when somebody in the middle dies.
#include <csignal>
#include <vector>

#include "space_test.hpp"

using namespace space_test;

namespace {

pid_t process_of(spmc::SpaceId slot) { return static_cast<pid_t>(space::load_life(slot).pid); }

// Gone: no such process, or a zombie that its new parent will collect.
bool gone(pid_t pid) {
  char name[64], state = 0;
  std::snprintf(name, sizeof name, "/proc/%d/stat", pid);
  FILE* file = std::fopen(name, "r");
  if (file == nullptr) return true;
  const int fields = std::fscanf(file, "%*d (%*[^)]) %c", &state);
  std::fclose(file);
  return fields != 1 || state == 'Z' || state == 'X';
}

bool gone_soon(pid_t pid) {
  for (int i = 0; i < 1000 && !gone(pid); ++i) usleep(10'000);
  return gone(pid);
}

unsigned slots_in_use() {
  unsigned used = 0;
  for (uint32_t i = 0; i < spmc::segment::header().max_spaces; ++i)
    if (space::load_life(spmc::SpaceId{i}).state != space::LifeState::kFree) ++used;
  return used;
}

// The processes of all spaces but the root, once there are `count` of them.
std::vector<pid_t> await_processes(size_t count) {
  for (;;) {
    std::vector<pid_t> all;
    for (uint32_t i = 1; i < spmc::segment::header().max_spaces; ++i)
      if (const pid_t pid = process_of(spmc::SpaceId{i}); pid != 0) all.push_back(pid);
    if (all.size() >= count) return all;
    usleep(1000);
  }
}

int sleep_for_ever() {
  for (;;) pause();
}

}  // namespace

TEST_CASE("exit codes climb three levels") {
  const auto run = run_as_root([] {
    const auto end = join(start(1, [] {
      const auto inner = join(start(2, [] {
        const auto innermost = join(start(3, [] { return 11; }));
        return innermost.exit_code * 2;
      }));
      return inner.exit_code + 1;
    }));
    return end.exit_code;
  });
  CHECK(run.exit_code == 23);
}

namespace {
int descend(int depth) {
  if (depth == 0) return space_path() == std::string("/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1") ? 20 : 0;
  return join(start(depth, [depth] { return descend(depth - 1); })).exit_code;
}
}  // namespace

TEST_CASE("spaces nest twenty deep") {
  const auto run = run_as_root([] { return descend(20); }, 32);
  CHECK(run.exit_code == 20);
}

TEST_CASE("two hundred children at once, joined in another order") {
  const auto run = run_as_root(
      [] {
        int sids[200];
        for (int i = 0; i < 200; ++i)
          sids[i] = start(i, [i] {
            if (space_ret() != 0) return 255;
            return i;
          });
        for (int i = 199; i >= 0; --i)
          if (space_sync(sids[i], 1) != 1) return 1;
        for (int i = 0; i < 200; ++i)
          if (join(sids[i * 7 % 200]).exit_code != i * 7 % 200) return 2;
        return slots_in_use() == 1 ? 0 : 3;
      },
      201);
  CHECK(run.exit_code == 0);
}

TEST_CASE("two hundred children killed while their parent waits for the first") {
  const auto run = run_as_root(
      [] {
        int sids[200];
        for (int i = 0; i < 200; ++i) sids[i] = start(i, sleep_for_ever);
        const int killer = start(200, [] {
          for (uint32_t i = 200; i >= 1; --i)
            if (process_of(spmc::SpaceId{i}) == 0 || kill(process_of(spmc::SpaceId{i}), SIGTERM) != 0) return 1;
          return 0;
        });
        for (const int sid : sids)
          if (join(sid).signal != SIGTERM) return 1;
        if (join(killer).exit_code != 0) return 2;
        return slots_in_use() == 1 ? 0 : 3;
      },
      202);
  CHECK(run.exit_code == 0);
}

TEST_CASE("a killed child takes its descendants with it, and everything they held is free afterwards") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] {
      start(1, [] {
        start(2, sleep_for_ever);
        start(3, [] { return space_ret(); });
        space_alloc(4);
        return sleep_for_ever();
      });
      start(5, sleep_for_ever);
      return sleep_for_ever();
    });
    const std::vector<pid_t> all = await_processes(5);
    kill(process_of(space::child_slot(sid).value()), SIGKILL);
    if (join(sid).signal != SIGKILL) return 2;
    for (const pid_t pid : all)
      if (kill(pid, 0) == 0) return 3;  // not even a zombie
    return slots_in_use() == 1 ? 0 : 4;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a dead space and its descendants are not alive, whoever has noticed") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] {
      start(1, sleep_for_ever);
      return sleep_for_ever();
    });
    await_processes(2);
    const auto child = space::child_slot(sid).value();
    const spmc::SpaceId grandchild{child.value == 1 ? 2u : 1u};
    if (!space::alive(child) || !space::alive(grandchild)) return 1;
    kill(process_of(child), SIGKILL);
    while (space::load_life(child).state != space::LifeState::kEnded) usleep(1000);
    if (space::alive(child) || space::alive(grandchild)) return 2;
    join(sid);
    return 0;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a space that ends takes its children with it before its parent hears of it") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] {
      start(1, sleep_for_ever);
      start(2, [] { return space_ret(); });
      space_alloc(3);
      return 6;
    });
    if (join(sid).exit_code != 6) return 1;
    return slots_in_use() == 1 ? 0 : 2;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("no space outlives a root that ends, exits or is killed") {
  for (const std::string how : {"return", "exit", "_exit", "SIGKILL", "SIGSEGV"}) {
    INFO(how);
    int channel[2];
    REQUIRE(pipe(channel) == 0);
    setenv("DLINUX_NO_REEXEC", "1", 1);
    const auto run = test_support::run_same([&] {
      space_init(8);
      start(0, [] {
        start(1, sleep_for_ever);
        return sleep_for_ever();
      });
      start(2, [] { return space_ret(); });
      for (const pid_t pid : await_processes(3))
        if (write(channel[1], &pid, sizeof pid) != sizeof pid) return 1;
      if (how == "exit") std::exit(4);
      if (how == "_exit") _exit(4);
      if (how == "SIGKILL") raise(SIGKILL);
      if (how == "SIGSEGV") std::signal(SIGSEGV, SIG_DFL), raise(SIGSEGV);
      return 4;
    });
    close(channel[1]);
    int count = 0;
    for (pid_t pid; read(channel[0], &pid, sizeof pid) == sizeof pid; ++count) CHECK(gone_soon(pid));
    close(channel[0]);
    CHECK(count == test_support::kRuns * 3);
    CHECK(run.exit_code == (run.signal == 0 ? 4 : -1));
  }
}

TEST_CASE("killed at any moment, a busy family leaves nothing") {
  const auto run = run_as_root(
      [] {
        for (int round = 0; round < 40; ++round) {
          const int sid = start(0, [] {
            for (int i = 0;; ++i) {
              const int a = start(2 * i, [] {
                join(start(0, [] { return 0; }));
                return space_ret();
              });
              const int b = space_alloc(2 * i + 1);
              space_join(a);
              space_join(b);
            }
            return 0;
          });
          usleep(static_cast<useconds_t>(round * 211 % 5000));
          if (space_kill(sid) != 0) return 1;
          if (slots_in_use() != 1) return 2;
        }
        return 0;
      },
      32);
  CHECK(run.exit_code == 0);
}
