// A job that reads no terminal has a session of its own, so that its ranks take turns among themselves, whatever else
// runs in the session of who started it; and it goes along when detmpirun is stopped, continued, ended or killed.
#include <base/files.hpp>
#include <base/session.hpp>
#include <base/sys.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <set>
#include <thread>

#include "run_mpi.hpp"
#include "running.hpp"
#include "support/leak_check.hpp"

using namespace mpi_test;

namespace {

constexpr int kRanks = 3;
constexpr double kSoon = 10;

using Ranks = std::vector<int>;

bool skipped() {
  const bool has_own_sessions = spmc::base::cores_go_by_session() && !spmc::base::is_terminal(STDIN_FILENO);
  if (!has_own_sessions) test_support::skip_test("the kernel does not go by sessions, or standard input is a terminal");
  return !has_own_sessions;
}

bool soon(const std::function<bool()>& so) {
  for (const Stopwatch watch; watch.seconds() < kSoon; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    if (so()) return true;
  }
  return so();
}

// Of a job of each way of starting, which ends when it is told to; nothing of it is left then.
void with_job(const std::function<void(Running&, const Ranks&)>& check, int end_by) {
  for (const char* how : kStarts) {
    INFO(how);
    Running running(job(kRanks, "killed", {how, kPrintAtOnce}, {"collectives"}));
    REQUIRE(running.wait_for_lines(kRanks));
    const Ranks ranks = running.numbers();
    check(running, ranks);
    running.signal(end_by);
    const auto result = running.finish();
    // By its own death, or as the job's exit code.
    if (end_by == SIGKILL) CHECK(result.signal == SIGKILL);
    else CHECK(result.exit_code == 128 + end_by);
    CHECK(all_gone(ranks));
  }
}

}  // namespace

TEST_CASE("all ranks are in one session, which is not that of detmpirun") {
  if (skipped()) return;
  const auto check = [](Running& running, const Ranks& ranks) {
    std::set<pid_t> sessions;
    for (const int rank : ranks) sessions.insert(getsid(rank));
    CHECK(sessions.size() == 1);
    CHECK(sessions.count(getsid(running.pid())) == 0);
  };
  with_job(check, SIGTERM);
}

TEST_CASE("a job is stopped and continued with detmpirun") {
  if (skipped()) return;
  const auto check = [](Running& running, const Ranks& ranks) {
    Ranks all = ranks;
    all.push_back(running.pid());
    const auto are = [&](bool stopped) {
      return std::all_of(all.begin(), all.end(), [&](int pid) {
        return (spmc::base::activity_of(pid) == spmc::base::Activity::kStopped) == stopped;
      });
    };
    for (int i = 0; i < 2; ++i) {
      running.signal(SIGTSTP);
      CHECK(soon([&] { return are(true); }));
      running.signal(SIGCONT);
      CHECK(soon([&] { return are(false); }));
    }
  };
  with_job(check, SIGTERM);
}

TEST_CASE("nothing is left of a job whose detmpirun is killed") {
  with_job([](Running&, const Ranks&) {}, SIGKILL);
}

TEST_CASE("if the job's own process is killed, so is what ranks have started") {
  if (skipped()) return;
  Running running({detmpirun(), "--start=exec", kPrintAtOnce, "sh", "-c", "sleep 50 & echo $!; wait"});
  REQUIRE(running.wait_for_lines(1));
  const int sleeper = running.numbers().at(0);
  REQUIRE(kill(parent_of(parent_of(sleeper)), SIGKILL) == 0);
  const auto result = running.finish();
  CHECK(result.exit_code == 128 + SIGKILL);
  CHECK(contains(result.err, "the job's process"));
  CHECK(all_gone({sleeper}));
}
