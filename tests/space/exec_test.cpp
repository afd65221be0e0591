// A space whose program is replaced by exec, as ranks that are each started anew.
#include <fcntl.h>

#include <csignal>

#include <spmc/spmc.h>
#include <spmc/segment.hpp>

#include "space_test.hpp"

using namespace space_test;

namespace {

void* g_region;

int execute(spmc::SpaceId slot, bool in_script = false) {
  const char* program = std::getenv("DLINUX_SPACE_EXEC_PROGRAM");
  const std::string fd = std::to_string(dup(spmc::segment::descriptor()));  // without close-on-exec
  const std::string number = std::to_string(slot.value);
  char region[32];
  std::snprintf(region, sizeof region, "%p", g_region);
  // With something to do behind it a shell runs the program in a process of its own.
  if (in_script)
    execl("/bin/sh", "sh", "-c", "\"$0\" \"$@\"; exit $?", program, fd.c_str(), number.c_str(), region, nullptr);
  execl(program, program, fd.c_str(), number.c_str(), region, nullptr);
  return 99;
}

void check_that_it_goes_on(int (*start)(void*)) {
  REQUIRE(std::getenv("DLINUX_SPACE_EXEC_PROGRAM") != nullptr);
  const auto run = run_as_root([start] {
    g_region = spmcR_alloc(4 * SPMC_PAGE_SIZE);
    const int sid = space_alloc(7);
    spmcR_copycons(sid, g_region, g_region, 4 * SPMC_PAGE_SIZE);
    space_start(sid, start, nullptr);
    if (space_sync(sid, 1) != 1) return 1;
    const char c = 12;
    spmcR_write(g_region, &c, 1);
    spmcR_setfix(g_region, 4 * SPMC_PAGE_SIZE);
    return join(sid).exit_code;
  });
  CHECK(run.exit_code == 42);
  CHECK(run.out.find("/1 gid 7 heap 0x") == 0);
  CHECK(run.out.find("\n/1/1\n") != std::string::npos);
}

}  // namespace

TEST_CASE("a space goes on as the same space in a new program") {
  check_that_it_goes_on([](void*) { return execute(space::self()); });
}

TEST_CASE("a space goes on in a program that a script runs") {
  check_that_it_goes_on([](void*) { return execute(space::self(), true); });
}

TEST_CASE("a program cannot resume as a space that it is not") {
  REQUIRE(std::getenv("DLINUX_SPACE_EXEC_PROGRAM") != nullptr);
  const auto run = run_as_root([] {
    const int sid = space_alloc(7);
    space_start(
        sid, [](void*) { return execute(spmc::SpaceId{0}); }, nullptr);
    return join(sid).exit_code;
  });
  CHECK(run.exit_code == 101);
  CHECK(run.out.find("not that space") != std::string::npos);
}

TEST_CASE("an executed program dies with its parent, too") {
  REQUIRE(std::getenv("DLINUX_SPACE_EXEC_PROGRAM") != nullptr);
  const auto run = run_as_root([] {
    const int outer = start(0, [] {
      const int inner = space_alloc(0);
      space_start(
          inner, [](void*) { return execute(space::self()); }, nullptr);
      space_wait(inner);
      return raise(SIGKILL);
    });
    return join(outer).signal;
  });
  CHECK(run.exit_code == SIGKILL);
}
