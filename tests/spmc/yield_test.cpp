// What a wait learns from its yields depends on whether another process had the core meanwhile.
#include <base/sys.hpp>
#include <base/wait.hpp>
#include <catch2/catch.hpp>

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace spmc::base;

namespace {

long times_lost_core() {
  rusage usage;
  REQUIRE(::getrusage(RUSAGE_THREAD, &usage) == 0);
  return usage.ru_nivcsw;
}

// On this process's core, for ever.
pid_t start_stranger() {
  const pid_t parent = ::getpid(), process = ::fork();
  REQUIRE(process >= 0);
  if (process != 0) return process;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (;;) ::sched_yield();
}

void stay_on_this_core() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(::sched_getcpu(), &set);
  REQUIRE(::sched_setaffinity(0, sizeof set, &set) == 0);
}

// Asks again and again. How often an answer was certain: others take the core by chance, too, and then it tells
// nothing.
template <typename Ask>
int ask_with_own_core(Ask&& ask) {
  constexpr int kEnough = 100;
  int told = 0;
  long known = -1;
  for (int i = 0; i < 10'000 && told < kEnough; ++i) {
    const long before = times_lost_core();
    const bool lost = ask();
    const bool same = times_lost_core() == before;
    if (same && known == before) {
      CHECK_FALSE(lost);
      ++told;
    }
    known = same ? before : -1;
  }
  return told;
}

// One question, after a stranger has had the core.
template <typename Ask>
bool ask_without_own_core(Ask&& ask) {
  stay_on_this_core();
  const pid_t stranger = start_stranger();
  (void)ask();
  for (const long before = times_lost_core(); times_lost_core() == before;) ::sched_yield();
  const bool lost = ask();
  REQUIRE(::kill(stranger, SIGKILL) == 0);
  REQUIRE(::waitpid(stranger, nullptr, 0) == stranger);
  return lost;
}

}  // namespace

TEST_CASE("a long yield is a reason to sleep only if another process had the core", "[yield]") {
  set_wait_policy({.spins = 1, .yields = 1});
  uint64_t now = 1;
  const auto ask = [&now] { return avoid_yields(++now); };
  (void)ask();
  CHECK(ask_with_own_core(ask) > 0);
  CHECK(ask_without_own_core(ask));
  CHECK(g_no_yields_before > now);
}

TEST_CASE("where yields end waits, spaces spin again unless another process had the core", "[yield]") {
  constexpr uint32_t kSpins = 1024;
  set_wait_policy({.spins = kSpins, .yields = 1});
  const auto ask = [] {
    g_spin_budget = kLeastSpins;
    for (uint32_t i = 0; i < kReconsiderEvery; ++i) note_end_by_yield();
    return g_spin_budget != kSpins;
  };
  (void)ask();
  CHECK(ask_with_own_core(ask) > 0);
  CHECK(ask_without_own_core(ask));
}
