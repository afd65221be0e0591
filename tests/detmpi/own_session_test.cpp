// A job that reads no terminal has a session of its own, so that its ranks take turns among themselves, whatever else
// runs in the session of who started it; and it goes along when detmpirun is stopped, continued, ended or killed.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "run_mpi.hpp"
#include "running.hpp"

using namespace mpi_test;

namespace {

constexpr int kRanks = 3;
constexpr double kSoon = 10;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Nothing to be tested elsewhere.
bool has_own_sessions() {
  return first_line("/proc/sys/kernel/sched_autogroup_enabled") == "1" && isatty(STDIN_FILENO) == 0;
}

char state_of(int pid) {
  const std::string line = first_line("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = line.rfind(") ");
  return name_end == std::string::npos ? '-' : line[name_end + 2];
}

bool soon(const std::function<bool()>& so) {
  for (const Stopwatch watch; watch.seconds() < kSoon; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    if (so()) return true;
  }
  return so();
}

Running start(const char* how) { return Running(job(kRanks, "killed", {how, kPrintAtOnce}, {"collectives"})); }

}  // namespace

TEST_CASE("all ranks are in one session, which is not that of detmpirun") {
  if (!has_own_sessions()) return;
  for (const char* how : kStarts) {
    INFO(how);
    Running running = start(how);
    REQUIRE(running.wait_for_lines(kRanks));
    std::set<pid_t> sessions;
    for (const int rank : running.numbers()) sessions.insert(getsid(rank));
    CHECK(sessions.size() == 1);
    CHECK(sessions.count(getsid(running.pid())) == 0);
    running.signal(SIGTERM);
    running.finish();
  }
}

TEST_CASE("a job is stopped and continued with detmpirun") {
  if (!has_own_sessions()) return;
  for (const char* how : kStarts) {
    INFO(how);
    Running running = start(how);
    REQUIRE(running.wait_for_lines(kRanks));
    auto all = running.numbers();
    const auto ranks = all;
    all.push_back(running.pid());
    const auto are = [&](bool stopped) {
      return std::all_of(all.begin(), all.end(), [&](int pid) { return (state_of(pid) == 'T') == stopped; });
    };
    for (int i = 0; i < 2; ++i) {
      running.signal(SIGTSTP);
      CHECK(soon([&] { return are(true); }));
      running.signal(SIGCONT);
      CHECK(soon([&] { return are(false); }));
    }
    running.signal(SIGTERM);
    CHECK(running.finish().exit_code == 128 + SIGTERM);
    CHECK(all_gone(ranks));
  }
}

TEST_CASE("nothing is left of a job whose detmpirun is killed") {
  for (const char* how : kStarts) {
    INFO(how);
    Running running = start(how);
    REQUIRE(running.wait_for_lines(kRanks));
    const auto ranks = running.numbers();
    running.signal(SIGKILL);
    running.finish();
    CHECK(all_gone(ranks));
  }
}
