// Stopping, going on, waiting.
#include <csignal>

#include "space_test.hpp"

using namespace space_test;

TEST_CASE("a child stops and goes on as often as its parent wants") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] {
      for (int i = 0; i < 100; ++i) {
        std::printf("child %d\n", i);
        if (space_ret() != 0) return 1;
      }
      return 9;
    });
    int rounds = 0;
    while (space_sync(sid, 1) == 1) std::printf("parent %d\n", rounds++);
    std::printf("%d rounds, exit %d\n", rounds, status(sid).exit_code);
    return 0;
  });
  CHECK(run.out.find("100 rounds, exit 9\n") != std::string::npos);
}

TEST_CASE("while a child is stopped, its output is written and the parent has the turn") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] {
      for (int i = 0; i < 3; ++i) {
        std::printf("child %d\n", i);
        space_ret();
      }
      return 0;
    });
    for (int i = 0; space_wait(sid) == 1; ++i) {
      if (status(sid).state != SPACE_STOPPED || space_wait(sid) != 1) return 1;
      std::printf("parent %d\n", i);
      std::fflush(stdout);
      if (space_sync(sid, 1) != 1) return 2;
      if (status(sid).state != SPACE_STARTED) return 3;
    }
    return 0;
  });
  CHECK(run.exit_code == 0);
  CHECK(run.out == "child 0\nparent 0\nchild 1\nparent 1\nchild 2\nparent 2\n");
}

TEST_CASE("joining a stopped child ends it, flushed, with status 0") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] {
      std::printf("reached\n");
      space_ret();
      std::printf("not reached\n");
      return 7;
    });
    const auto end = join(sid);
    return end.exit_code == 0 && end.signal == 0 ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
  CHECK(run.out == "reached\n");
}

TEST_CASE("a child killed while stopped is seen as ended") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] { return space_ret(); });
    space_wait(sid);
    const auto slot = space::child_slot(sid).value();
    kill(static_cast<pid_t>(space::load_life(slot).pid), SIGKILL);
    while (space::load_life(slot).state != space::LifeState::kEnded) usleep(1000);
    if (space_sync(sid, 1) != 0) return 1;
    return status(sid).signal == SIGKILL ? 0 : 2;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a child killed while its parent sleeps in space_sync wakes the parent") {
  const auto run = run_as_root([] {
    const int sid = start(0, [] {
      for (;;) pause();
      return 0;
    });
    const int killer = start(1, [] {
      const uint32_t victim = space::load_life(spmc::SpaceId{1}).pid;
      // Only a parent that sleeps for good is worth the test.
      while (space::lines(spmc::SpaceId{0}).wait.sleeping.load() == 0) usleep(1000);
      usleep(20'000);
      kill(static_cast<pid_t>(victim), SIGTERM);
      return 0;
    });
    const auto end = join(sid);
    join(killer);
    return end.signal == SIGTERM ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
}

namespace {
int g_calls = 0;
void count_call(int) { ++g_calls; }
void take_all(int) {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}
const auto kExits5 = [] {
  usleep(20'000);
  return 5;
};
}  // namespace

TEST_CASE("the program's own SIGCHLD handler is called, whether older or newer than ours") {
  const auto run = test_support::run_same([] {
    std::signal(SIGCHLD, count_call);
    space_init(8);
    if (join(start(0, kExits5)).exit_code != 5 || g_calls != 1) return 1;
    std::signal(SIGCHLD, count_call);
    if (join(start(1, kExits5)).exit_code != 5 || g_calls != 2) return 2;
    return 0;
  });
  CHECK(run.exit_code == 0);
}

namespace {
struct sigaction g_before_newer, g_before_newest;
int g_newer_calls = 0, g_newest_calls = 0;

void pass_on(const struct sigaction& before, int signal, siginfo_t* info, void* context) {
  if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(signal, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(signal);
}

void newer(int signal, siginfo_t* info, void* context) {
  ++g_newer_calls;
  pass_on(g_before_newer, signal, info, context);
}

void newest(int signal, siginfo_t* info, void* context) {
  ++g_newest_calls;
  pass_on(g_before_newest, signal, info, context);
}

void install(void (*handler)(int, siginfo_t*, void*), struct sigaction* before) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGCHLD, &action, before);
}
}  // namespace

TEST_CASE("handlers that call the one before them are each called once for each end") {
  setenv("DLINUX_NO_REEXEC", "1", 1);
  const auto run = test_support::run_same([] {
    std::signal(SIGCHLD, count_call);
    space_init(8);
    if (join(start(0, kExits5)).exit_code != 5 || g_calls != 1) return 1;
    install(newer, &g_before_newer);
    if (join(start(1, kExits5)).exit_code != 5 || g_calls != 2 || g_newer_calls != 1) return 2;
    install(newest, &g_before_newest);
    if (join(start(2, kExits5)).exit_code != 5) return 3;
    return g_calls == 3 && g_newer_calls == 2 && g_newest_calls == 1 ? 0 : 4;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("SIGCHLD that whoever started the program holds back is let through, in children too") {
  setenv("DLINUX_NO_REEXEC", "1", 1);
  const auto run = test_support::run_same([] {
    sigset_t set, now;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    space_init(8);
    sigprocmask(SIG_BLOCK, &set, &now);
    if (sigismember(&now, SIGCHLD)) return 1;
    // From here on it is the program's own wish, for this space.
    const int child = start(0, [] {
      sigset_t mine;
      sigprocmask(SIG_BLOCK, nullptr, &mine);
      return sigismember(&mine, SIGCHLD) ? 1 : 0;
    });
    if (join(child).exit_code != 0) return 2;
    sigprocmask(SIG_BLOCK, nullptr, &now);
    return sigismember(&now, SIGCHLD) ? 0 : 3;
  });
  CHECK(run.exit_code == 0);
}

namespace {
// Gone, without having been waited for here.
bool gone_without_wait(pid_t pid) {
  for (int i = 0; i < 2000; ++i) {
    if (kill(pid, 0) != 0) return true;
    usleep(1000);
  }
  return false;
}

pid_t fork_stranger() {
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  return pid;
}
}  // namespace

TEST_CASE("a program that wants no zombies of its own children gets none, before the first space and after it") {
  for (const bool by_flag : {false, true}) {
    const auto run = run_as_root([=] {
      struct sigaction none = {};
      none.sa_handler = by_flag ? SIG_DFL : SIG_IGN;
      none.sa_flags = by_flag ? SA_NOCLDWAIT : 0;
      sigaction(SIGCHLD, &none, nullptr);
      if (!gone_without_wait(fork_stranger())) return 1;
      const int stays = start(0, [] { return space_ret(); });
      const int ended = start(1, kExits5);
      for (int i = 0; i < 5; ++i)
        if (!gone_without_wait(fork_stranger())) return 2;
      return join(ended).exit_code == 5 && join(stays).exit_code == 0 ? 0 : 3;
    });
    CHECK(run.exit_code == 0);
  }
}

TEST_CASE("nothing is lost when the program blocks, ignores or steals SIGCHLD") {
  const auto run = run_as_root([] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    if (join(start(0, kExits5)).exit_code != 5) return 1;
    sigset_t now;
    sigprocmask(SIG_UNBLOCK, &set, &now);
    if (!sigismember(&now, SIGCHLD)) return 2;
    std::signal(SIGCHLD, SIG_IGN);
    if (join(start(1, kExits5)).exit_code != 5) return 3;
    std::signal(SIGCHLD, take_all);
    if (join(start(2, kExits5)).exit_code != 5) return 4;
    // Taken before anybody could see it: the child's own word counts.
    std::signal(SIGCHLD, SIG_DFL);
    const int sid = start(3, [] { return 6; });
    while (waitpid(-1, nullptr, 0) > 0) {
    }
    const auto end = join(sid);
    return end.exit_code == 6 ? 0 : 5;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a status taken from a killed child is reported as unknown") {
  const auto run = run_as_root([] {
    std::signal(SIGCHLD, SIG_DFL);
    const int sid = space_alloc(0);
    space_start(
        sid, [](void*) { return raise(SIGKILL); }, nullptr);
    std::signal(SIGCHLD, SIG_DFL);
    while (waitpid(-1, nullptr, 0) > 0) {
    }
    const auto end = join(sid);
    // Unless the handler was quicker than the second std::signal.
    return (end.unknown && end.exit_code == -1) || end.signal == SIGKILL ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("children of the program that are no spaces are left alone") {
  const auto run = run_as_root([] {
    std::fflush(stdout);
    const pid_t own = fork();
    if (own == 0) _exit(33);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(own), &info, WEXITED | WNOWAIT);  // a zombie that stays first in line
    for (int i = 0; i < 5; ++i)
      if (join(start(i, kExits5)).exit_code != 5) return 1;
    int wait_status = 0;
    if (waitpid(own, &wait_status, 0) != own) return 2;
    return WEXITSTATUS(wait_status) == 33 ? 0 : 3;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a monitor collects children that are no spaces, and no space") {
  const auto run = run_as_root([] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    const int sid = start(0, kExits5);
    const auto process = static_cast<id_t>(space::load_life(space::child_slot(sid).value()).pid);
    std::fflush(stdout);
    const pid_t stranger = fork();
    if (stranger == 0) _exit(33);
    siginfo_t info;
    waitid(P_PID, process, &info, WEXITED | WNOWAIT);
    waitid(P_PID, static_cast<id_t>(stranger), &info, WEXITED | WNOWAIT);
    space::reap_strangers();
    if (waitid(P_PID, process, &info, WEXITED | WNOWAIT) != 0) return 1;
    if (space::next_ended_child() != sid || join(sid).exit_code != 5) return 2;
    space::reap_strangers();
    return waitpid(stranger, nullptr, WNOHANG) == -1 && errno == ECHILD ? 0 : 3;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a monitor that holds SIGCHLD back can ask who has ended") {
  const auto run = run_as_root([] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    if (space::next_ended_child() != 0) return 1;
    const int stays = start(0, [] { return space_ret(); });
    const int ends = start(1, kExits5);
    if (sigwaitinfo(&set, nullptr) != SIGCHLD) return 2;
    if (space::next_ended_child() != ends) return 3;
    join(ends);
    if (space::next_ended_child() != 0) return 4;
    return join(stays).exit_code;
  });
  CHECK(run.exit_code == 0);
}
