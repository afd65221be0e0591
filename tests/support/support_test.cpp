// The helpers themselves: a leak check that sees nothing would let every other test pass.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "support/leak_check.hpp"
#include "support/run_child.hpp"

using namespace test_support;

namespace {

// A process that waits for its end; returns its number.
pid_t start_sleeper() {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  return child;
}

// A process of our group that is not our child, and starts sleepers when it is asked.
class Orphan {
 public:
  Orphan() {
    REQUIRE((pipe(asked_) == 0 && pipe(told_) == 0));
    const pid_t parent = fork();
    if (parent == 0) {
      if (fork() == 0) serve();
      _exit(0);
    }
    waitpid(parent, nullptr, 0);
    pid_ = next();
  }
  ~Orphan() {
    kill(pid_, SIGKILL);
    for (const int fd : {asked_[0], asked_[1], told_[0], told_[1]}) close(fd);
  }
  Orphan(const Orphan&) = delete;
  Orphan& operator=(const Orphan&) = delete;

  pid_t start_another() const {
    const char ask = 0;
    REQUIRE(write(asked_[1], &ask, 1) == 1);
    return next();
  }

 private:
  [[noreturn]] void serve() const {
    char ask = 0;
    for (pid_t pid = getpid(); write(told_[1], &pid, sizeof pid) == sizeof pid; pid = start_sleeper()) {
      close(asked_[1]);  // so that our end is seen
      if (read(asked_[0], &ask, 1) != 1) break;
    }
    _exit(0);
  }
  pid_t next() const {
    pid_t pid = 0;
    REQUIRE(read(told_[0], &pid, sizeof pid) == sizeof pid);
    return pid;
  }

  int asked_[2], told_[2];
  pid_t pid_;
};

}  // namespace

TEST_CASE("an open descriptor is a leak") {
  const Snapshot before = take_snapshot();
  const int fd = memfd_create("leak", MFD_CLOEXEC);
  CHECK(leaks_since(before).find("is open") != std::string::npos);
  close(fd);
  CHECK(leaks_since(before).empty());
}

TEST_CASE("a mapping of a memory file is a leak") {
  const Snapshot before = take_snapshot();
  const int fd = memfd_create("leak", MFD_CLOEXEC);
  void* at = mmap(nullptr, 8192, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  CHECK(leaks_since(before).find("mappings of memory files") != std::string::npos);
  munmap(at, 8192);
  CHECK(leaks_since(before).empty());
}

TEST_CASE("a child that lives is a leak, and so is a zombie") {
  const Snapshot before = take_snapshot();
  const pid_t child = start_sleeper();
  CHECK(describe_leaks(before, take_snapshot()).find("was not waited for") != std::string::npos);
  kill(child, SIGKILL);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  CHECK(leaks_since(before).find("was not waited for") != std::string::npos);
  waitpid(child, nullptr, 0);
  CHECK(leaks_since(before).empty());
}

TEST_CASE("an orphan in our process group is a leak") {
  const Snapshot before = take_snapshot();
  {
    const Orphan orphan;
    CHECK(describe_leaks(before, take_snapshot()).find("lives on") != std::string::npos);
  }
  CHECK(leaks_since(before).empty());
}

TEST_CASE("what another process of our group starts is none of ours") {
  const Orphan other;
  const Snapshot before = take_snapshot();
  const pid_t started = other.start_another();
  CHECK(take_snapshot().group.contains(started));
  CHECK(describe_leaks(before, take_snapshot()).empty());
  kill(started, SIGKILL);
}

TEST_CASE("a child's output, exit code and signal are caught") {
  const RunResult exited = run_function([] {
    std::printf("out\n");
    std::fprintf(stderr, "err\n");
    return 3;
  });
  CHECK(exited.exit_code == 3);
  CHECK(exited.signal == 0);
  CHECK(exited.out == "out\n");
  CHECK(exited.err == "err\n");

  const RunResult killed = run_function([] { return raise(SIGKILL); });
  CHECK(killed.exit_code == -1);
  CHECK(killed.signal == SIGKILL);
}

TEST_CASE("two runs that differ compare unequal") {
  const TwoRuns same = run_twice([] { return std::puts("same") < 0; });
  CHECK(same.first == same.second);
  const TwoRuns differ = run_twice([] { return std::printf("%d\n", getpid()) < 0; });
  CHECK_FALSE(differ.first == differ.second);
}

TEST_CASE("the first of two runs is returned, and both have the input") {
  const RunResult run = run_same([] { return std::puts("same") < 0 ? 1 : 7; });
  CHECK(run.out == "same\n");
  CHECK(run.exit_code == 7);
  CHECK(run_command_same({"cat"}, "in\n").out == "in\n");
}

TEST_CASE("a command gets its input and arguments") {
  const RunResult result = run_command({"sh", "-c", "cat; echo $0", "a b"}, "in\n");
  CHECK(result.out == "in\na b\n");
  CHECK(run_command({"no-such-command-here"}).exit_code == 127);
}

TEST_CASE("a child keeps out what was buffered before the fork") {
  std::printf("buffered before the fork\n");
  CHECK(run_function([] { return 0; }).out.empty());
}
