// Scripts between detmpirun and the MPI program, and what programs leave behind.
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "run_mpi.hpp"
#include "running.hpp"

using namespace mpi_test;
using test_support::run_command;
using test_support::run_command_same;

namespace {

// A job of two ranks, of a script in which $0 is the folder of the programs.
std::vector<std::string> script(const std::string& text, std::vector<std::string> options = {}) {
  std::vector<std::string> argv = {detmpirun(), "-n", "2", "--timeout=100"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {"sh", "-c", text, from_environment("MPI_PROGRAMS")});
  return argv;
}

constexpr const char* kHello = "[0] hello 0 of 2\n[1] hello 1 of 2\n";

// A shell that has something to do behind the program runs it in a process of its own.
constexpr const char* kWaitForEver = "$0/ends never -1; true";

}  // namespace

TEST_CASE("a script may run the program") {
  for (const char* start : kStarts) {
    const RunResult run = run_command_same(script("$0/hello; exit 7", {start}));
    INFO(start << "\n" << run.err);
    CHECK(run.out == kHello);
    CHECK(run.exit_code == 7);
    CHECK(run.err.empty());
  }
  const RunResult verified = run_command(script("$0/hello; true", {"--verify=4"}));
  INFO(verified.err);
  CHECK(verified.exit_code == 0);
  CHECK(verified.out == kHello);
}

TEST_CASE("the job ends with the script") {
  // A shell waits for those of a pipe, and of these the first ends at once.
  const std::string text = "($0/ends never -1 &) | (read one; read two; echo $one; echo $two)";
  Running running(script(text, {"--start=fork", kPrintAtOnce}));
  const RunResult run = running.finish();
  INFO(run.err);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.err, "the script has ended before the MPI program"));
  CHECK(running.numbers().size() == 2);
  CHECK(all_gone(running.numbers()));
}

TEST_CASE("a second program in a script is refused") {
  for (const char* start : kStarts) {
    const RunResult run = run_command(script("$0/hello; $0/hello", {start}));
    INFO(start << "\n" << run.err);
    CHECK(run.out == kHello);
    CHECK(run.exit_code == 1);
    CHECK(contains(run.err, "another one has been here before"));
  }
}

TEST_CASE("with a script between, detmpirun takes all its ranks along") {
  for (const char* start : kStarts) {
    for (const int signal : {SIGKILL, SIGTERM}) {
      Running running(script(kWaitForEver, {start, kPrintAtOnce}));
      REQUIRE(running.wait_for_lines(2));
      running.signal(signal);
      const RunResult result = running.finish();
      INFO(start << ", signal " << signal << "\n" << result.err);
      CHECK((signal == SIGKILL ? result.signal == SIGKILL : result.exit_code == 128 + SIGTERM));
      CHECK(all_gone(running.numbers()));
    }
  }
}

TEST_CASE("also where it is killed while ranks are in MPI_Init") {
  std::mt19937 random(std::random_device{}());
  for (int i = 0; i < 16; ++i) {
    const auto moment = std::chrono::microseconds(random() % 30'000);
    INFO(moment.count() << " us");
    Running running(script("$0/ends never -1 & echo $!; wait", {"--start=exec", kPrintAtOnce}));
    std::this_thread::sleep_for(moment);
    running.signal(SIGKILL);
    CHECK(running.finish().signal == SIGKILL);
    CHECK(all_gone(running.numbers()));
  }
}

TEST_CASE("--timeout holds for what a script does behind the program, too") {
  const Stopwatch watch;
  const RunResult run = run_command(script("$0/hello; sleep 50; true", {"--start=fork", "--timeout=1"}));
  INFO(run.err);
  CHECK(run.exit_code == 124);
  CHECK(watch.seconds() < 10);
}

TEST_CASE("a script that ignores signals does not keep a job that has ended") {
  const Stopwatch watch;
  const RunResult run =
      run_command(script("trap '' TERM; $0/killed collectives; sleep 20", {"--start=fork", "--timeout=1"}));
  INFO(run.err);
  CHECK(run.exit_code == 124);
  CHECK(watch.seconds() < 10);
}

TEST_CASE("a job within a job is a job of its own") {
  for (const char* start : kStarts) {
    const RunResult run = run_command_same({detmpirun(), "-n", "1", start, "env", "DETMPI_RANK=5", "DETMPI_EVENTS=1",
                                            detmpirun(), "-n", "2", program("hello")});
    INFO(start << "\n" << run.err);
    CHECK(run.out == kHello);
    CHECK(run.exit_code == 0);
  }
}

TEST_CASE("what ranks have started does not outlive the job") {
  for (const char* start : kStarts) {
    // The shell's child loses its parent, and begins a session.
    const RunResult run = run_command(script("(setsid sleep 50 & echo $!); $0/hello", {start, kPrintAtOnce}));
    INFO(start << "\n" << run.err);
    CHECK(run.exit_code == 0);
    std::vector<int> processes;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) {
      if (line[0] != '[') processes.push_back(std::stoi(line));
    }
    CHECK(processes.size() == (start == std::string(kStarts[0]) ? 1 : 2));
    CHECK(all_gone(processes));
  }
}

TEST_CASE("what a shell has started before it becomes detmpirun is left alone") {
  // As the first process of a session it becomes the ranks' parent. The pipe ends when all have ended.
  const std::string shell = R"(setsid -w sh -c '(sleep 0.2; echo late) & exec "$@"' sh "$@" | cat)";
  for (const char* start : kStarts) {
    const RunResult run = run_command({"sh", "-c", shell, "sh", detmpirun(), "-n", "2", start, program("hello")});
    INFO(start << "\n" << run.err);
    CHECK(contains(run.out, kHello));
    CHECK(contains(run.out, "late"));
  }
}
