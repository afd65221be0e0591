// Internal IDs, global IDs, paths, and the arguments of space_init and space_alloc.
#include <sys/resource.h>
#include <sys/stat.h>

#include <spmc/spmc.h>

#include "space_test.hpp"

using namespace space_test;

TEST_CASE("children are numbered from 1 in the order of the calls, and numbers are not used again") {
  const auto run = run_as_root([] {
    std::printf("%d\n", space_alloc(7));
    std::printf("%d\n", space_alloc(3));
    space_join(1);
    std::printf("%d\n", space_alloc(7));
    return 0;
  });
  CHECK(run.out == "1\n2\n3\n");
}

TEST_CASE("the numbering of a child's children starts anew, also when both allocate at once") {
  const auto run = run_as_root([] {
    const auto body = [] {
      for (int i = 0; i < 4; ++i)
        if (space_alloc(i) != i + 1) return 1;
      return 0;
    };
    const int a = start(0, body), b = start(1, body);
    return join(a).exit_code + join(b).exit_code;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a space knows its global ID and its path") {
  const auto run = run_as_root([] {
    std::printf("%d %s\n", space_self(), space_path());
    start(4, [] { return 0; });
    const int child = start(5, [] {
      const int grandchild = start(6, [] {
        std::printf("%d %s\n", space_self(), space_path());
        return 0;
      });
      join(grandchild);
      std::printf("%d %s\n", space_self(), space_path());
      return 0;
    });
    join(child);
    return 0;
  });
  CHECK(run.out == "0 /\n6 /2/1\n5 /2\n");
}

TEST_CASE("path hashes differ and repeat") {
  const auto run = run_as_root([] {
    for (int i = 0; i < 3; ++i)
      join(start(i, [] {
        std::printf("%016llx\n", static_cast<unsigned long long>(space::path_hash()));
        return 0;
      }));
    std::printf("%016llx\n", static_cast<unsigned long long>(space::path_hash()));
    return 0;
  });
  std::set<std::string> lines;
  for (size_t at = 0; at < run.out.size(); at += 17) lines.insert(run.out.substr(at, 16));
  CHECK(lines.size() == 4);
}

TEST_CASE("space_alloc refuses a negative ID, and one that a living child has") {
  const auto run = run_as_root([] {
    if (space_alloc(-1) != -1 || errno != EINVAL) return 1;
    const int sid = space_alloc(5);
    if (space_alloc(5) != -1 || errno != EEXIST) return 2;
    std::printf("%s\n", space_last_error());
    space_join(sid);
    return space_alloc(5) == 2 ? 0 : 3;
  });
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("gid") != std::string::npos);
}

TEST_CASE("space_alloc reports a full table, and its places come back") {
  const auto run = run_as_root(
      [] {
        for (int round = 0; round < 3; ++round) {
          if (space_alloc(0) < 0 || space_alloc(1) < 0 || space_alloc(2) < 0) return 1;
          if (space_alloc(3) != -1 || errno != EAGAIN) return 2;
          for (int i = 1; i <= 3; ++i) space_join(round * 3 + i);
        }
        return 0;
      },
      4);
  CHECK(run.exit_code == 0);
}

TEST_CASE("options are checked") {
  const auto run = run_as_root([] {
    space_options options{sizeof options, 0, 0, 0};
    options.flags = SPACE_CONFINED;
    if (space_alloc_with(0, &options) != -1 || errno != ENOTSUP) return 1;
    options.flags = 2;
    if (space_alloc_with(0, &options) != -1 || errno != EINVAL) return 2;
    options.flags = 0;
    options.size = 4;
    if (space_alloc_with(0, &options) != -1 || errno != EINVAL) return 3;
    options.size = sizeof options;
    options.heap_bytes = uint64_t{1} << 60;
    if (space_alloc_with(0, &options) != -1 || errno != ENOMEM) return 4;
    options.heap_bytes = 5 << 20;
    return space_alloc_with(0, &options) == 1 ? 0 : 5;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("space_init checks its argument, and may be called again") {
  setenv("DLINUX_NO_REEXEC", "1", 1);
  const auto run = test_support::run_same([] {
    if (space_alloc(0) != -1 || errno != ENXIO) return 1;
    if (space_init(0) != -1 || errno != EINVAL) return 2;
    if (space_init((1 << 20) + 1) != -1 || errno != EINVAL) return 3;
    if (space_init(8) != 0 || space_init(8) != 0 || space_init(2) != 0) return 4;
    if (space_init(9) != -1 || errno != EINVAL) return 5;
    const int sid = start(1, [] { return space_init(8) == 0 && space_self() == 1 ? 0 : 1; });
    return join(sid).exit_code;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a process that a plain fork made is no space") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] { return space_ret(); });
    std::fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
      const bool refused = space_alloc(1) == -1 && errno == EPERM && space_join(sid) == -1 && errno == EPERM;
      _exit(refused ? 0 : 1);
    }
    int wait_status = 0;
    if (waitpid(pid, &wait_status, 0) != pid || wait_status != 0) return 1;
    return join(sid).exit_code;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("child_slot gives the table's slot of a living child") {
  const auto run = run_as_root([] {
    const int sid = space_alloc(9);
    auto slot = space::child_slot(sid);
    if (!slot || space::lines(slot.value()).life.gid != 9) return 1;
    space_join(sid);
    auto gone = space::child_slot(sid), never = space::child_slot(77);
    return !gone && gone.error().code == ESRCH && !never && never.error().code == ESRCH ? 0 : 2;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("space_init takes SPMC memory that is there already, if it has room") {
  setenv("DLINUX_NO_REEXEC", "1", 1);
  const auto run = test_support::run_same([] {
    if (spmc_init(8) != 0) return 1;
    if (space_init(9) != -1 || errno != EINVAL) return 2;
    if (space_init(4) != 0) return 3;
    return join(start(0, [] { return 17; })).exit_code;
  });
  CHECK(run.exit_code == 17);
}

TEST_CASE("a space among a million possible ones touches the slots in use alone") {
  const auto run = run_as_root(
      [] {
        if (join(start(0, [] { return join(start(0, [] { return 4; })).exit_code; })).exit_code != 4) return 1;
        struct stat segment;
        if (fstat(spmc::segment::descriptor(), &segment) != 0) return 2;
        return segment.st_blocks * 512 < 16 << 20 ? 0 : 3;
      },
      1 << 20);
  CHECK(run.exit_code == 0);
}

namespace {
// Private memory cannot grow from now on, or can again.
void allow_memory(bool more) {
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  long pages = 0;
  FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld", &pages) != 1) std::exit(97);
  std::fclose(file);
  limit.rlim_cur = more ? limit.rlim_max : static_cast<rlim_t>(pages) * 4096;
  setrlimit(RLIMIT_AS, &limit);
}
}  // namespace

TEST_CASE("without private memory space_alloc fails, and has changed nothing") {
  if (test_support::kAddressSanitizer) return;  // its memory cannot be limited
  const auto run = run_as_root(
      [] {
        allow_memory(false);
        int last = 0;
        for (;;) {
          const int sid = space_alloc(last);
          if (sid < 0) break;
          if (sid != ++last) return 1;
        }
        if (errno != ENOMEM || *space_last_error() == 0) return 2;
        allow_memory(true);
        const int next = space_alloc(last);
        if (next != last + 1) return 3;
        for (int sid = 1; sid <= next; ++sid)
          if (space_join(sid) != 0) return 4;
        return space::load_life(spmc::SpaceId{static_cast<uint32_t>(next + 1)}).state == space::LifeState::kFree ? 0
                                                                                                                 : 5;
      },
      30000);
  CHECK(run.exit_code == 0);
}
