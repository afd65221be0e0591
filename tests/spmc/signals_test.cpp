// Signals that are waited for.
#include <base/signals.hpp>

#include <sys/time.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "support/run_child.hpp"

TEST_CASE("other signals do not make a wait longer", "[signals]") {
  const auto run = test_support::run_same([] {
    static volatile int handled;
    constexpr int kTooMany = 1000;
    struct sigaction action {};
    action.sa_handler = [](int) {
      handled = handled + 1;
      if (handled == kTooMany) _exit(1);
    };
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often{{0, 2'000}, {0, 2'000}};
    setitimer(ITIMER_REAL, &often, nullptr);
    spmc::base::hold_signals({SIGUSR1});
    return spmc::base::wait_signal({SIGUSR1}, 20'000'000).number;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a signal that is there ends the wait at once", "[signals]") {
  const auto run = test_support::run_same([] {
    spmc::base::hold_signals({SIGUSR1});
    raise(SIGUSR1);
    const auto first = spmc::base::wait_signal({SIGUSR1}, 0);
    raise(SIGUSR1);
    const auto second = spmc::base::wait_signal({SIGUSR1}, ~uint64_t{0});
    return first.number == SIGUSR1 && second.number == SIGUSR1 ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
}
