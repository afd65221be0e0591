// How a child ends reaches its parent.
#include <csignal>
#include <iostream>

#include <base/check.hpp>

#include "space_test.hpp"

using namespace space_test;

TEST_CASE("every exit status reaches the parent") {
  const auto run = run_as_root([] {
    for (int code = 0; code < 256; ++code) {
      const auto end = join(start(code, [code] { return code; }));
      if (end.state != SPACE_ENDED || end.exit_code != code || end.signal != 0 || end.unknown) return 1;
      if (end.violation) return 2;  // of none, also where the number is the one of a violation
    }
    return 0;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("every deadly signal reaches the parent") {
  const auto run = run_as_root([] {
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGUSR1,
                             SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGSYS, SIGRTMIN, SIGRTMAX}) {
      const auto end = join(start(signal, [signal] {
        std::signal(signal, SIG_DFL);
        raise(signal);
        return 0;
      }));
      if (end.signal != signal || end.exit_code != -1 || end.unknown || end.violation) return signal;
    }
    return 0;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a child works on a copy of memory") {
  const auto run = run_as_root([] {
    static int shared = 1;
    const auto end = join(start(0, [] { return ++shared; }));
    return end.exit_code == 2 && shared == 1 ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("output is written once, in order, and exit handlers belong to the root") {
  const auto run = run_as_root([] {
    std::atexit([] { std::printf("handler of %s\n", space_path()); });
    std::printf("before ");
    std::cout << "and ";
    join(start(0, [] {
      std::printf("child ");
      return 0;
    }));
    join(start(1, [] {
      std::cout << "exit ";
      space_exit(256 + 3);
      return 0;
    }));
    std::printf("after %d\n", status(2).exit_code);
    space_exit(5);
    return 0;
  });
  CHECK(run.out == "before and child exit after 3\nhandler of /\n");
  CHECK(run.exit_code == 5);
}

TEST_CASE("an exception that leaves a lambda's body ends the child by SIGABRT") {
  const auto run = run_as_root([] {
    auto child = space::Space::try_alloc(1);
    if (!child || !child.value().start([] { throw 1; })) return 1;
    return child.value().join().value().signal == SIGABRT ? 0 : 2;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a failed check names the space") {
  const auto run = test_support::run_same([] {
    space_init(4);
    const auto end = join(start(3, [] {
      spmc::base::check_failed("1 + 1 == 3", "here", 1, "sum");
      return 0;
    }));
    return end.exit_code == spmc::base::kCheckExit ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("space /1: internal check failed: 1 + 1 == 3 at here:1; sum\n") != std::string::npos);
}

TEST_CASE("wrong calls are errors") {
  const auto run = run_as_root([] {
    const auto body = [](void*) { return 0; };
    if (space_start(1, body, nullptr) != -1 || errno != ESRCH) return 1;
    if (space_join(1) != -1 || errno != ESRCH) return 2;
    const int sid = space_alloc(0);
    if (space_start(sid, nullptr, nullptr) != -1 || errno != EINVAL) return 3;
    if (space_sync(sid, 1) != -1 || errno != EINVAL) return 4;
    if (space_wait(sid) != -1 || errno != EINVAL) return 5;
    if (space_start(sid, body, nullptr) != 0) return 6;
    if (space_start(sid, body, nullptr) != -1 || errno != EINVAL) return 7;
    space_exit_info info;
    if (space_status(sid, nullptr) != -1 || errno != EINVAL) return 8;
    if (space_status(99, &info) != -1 || errno != ESRCH) return 9;
    if (space_ret() != -1 || errno != EPERM) return 10;
    if (space_join(sid) != 0 || space_join(sid) != 0) return 11;
    if (space_start(sid, body, nullptr) != -1 || errno != EINVAL) return 12;
    const int given_up = space_alloc(1);
    space_join(given_up);
    if (space_start(given_up, body, nullptr) != -1 || errno != EINVAL) return 13;
    std::printf("%s\n", space_last_error());
    return 0;
  });
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("given up") != std::string::npos);
}

TEST_CASE("a new space has had no failure yet") {
  const auto run = run_as_root([] {
    if (*space_last_error() != 0) return 1;
    space_join(99);
    if (*space_last_error() == 0) return 2;
    return join(start(0, [] { return *space_last_error() == 0 ? 0 : 3; })).exit_code;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("the status does not run ahead of what the parent has waited for") {
  const auto run = run_as_root([] {
    const int sid = space_alloc(0);
    if (status(sid).state != SPACE_ALLOCATED) return 1;
    space_start(
        sid, [](void*) { return 4; }, nullptr);
    while (space::load_life(space::child_slot(sid).value()).state != space::LifeState::kEnded) usleep(1000);
    if (status(sid).state != SPACE_STARTED) return 2;
    const auto end = join(sid);
    return end.state == SPACE_ENDED && end.exit_code == 4 ? 0 : 3;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a child that was never started can be given up") {
  const auto run = run_as_root([] {
    const int sid = space_alloc(0);
    const auto end = join(sid);
    return end.state == SPACE_ENDED && end.exit_code == -1 && end.signal == 0 ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("the ends of the last 1024 children are remembered") {
  const auto run = run_as_root([] {
    for (int i = 0; i < 1030; ++i) space_join(space_alloc(0));
    space_exit_info info;
    if (space_status(6, &info) != -1 || errno != ESRCH) return 1;
    return space_status(7, &info) == 0 ? 0 : 2;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("space_kill ends a running child and one in space_ret") {
  const auto run = run_as_root([] {
    const int busy = start(0, [] {
      for (;;) pause();
      return 0;
    });
    const int stopped = start(1, [] { return space_ret(); });
    space_wait(stopped);
    const int unstarted = space_alloc(2);
    if (space_kill(busy) != 0 || space_kill(stopped) != 0 || space_kill(unstarted) != 0) return 1;
    if (space_kill(busy) != 0) return 2;
    return status(busy).signal == SIGKILL && status(stopped).signal == SIGKILL ? 0 : 3;
  });
  CHECK(run.exit_code == 0);
}
