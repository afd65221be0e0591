// detmpirun --verify: the same is found to be the same, and what differs is found, named, and blamed on the right one.
#include <dirent.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "run_mpi.hpp"
#include "running.hpp"

using namespace mpi_test;

namespace {

constexpr int kDifferExit = 123;

std::vector<std::string> verification(int ranks, int runs, const std::string& name,
                                      std::vector<std::string> options = {},
                                      const std::vector<std::string>& arguments = {}) {
  options.push_back("--verify=" + std::to_string(runs));
  return job(ranks, name, options, arguments);
}

void expect_parts(const RunResult& run, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    INFO(run.err << "should contain: " << part);
    CHECK(contains(run.err, part));
  }
}

void expect_same(int ranks, int runs, const std::string& name, const std::vector<std::string>& options = {}) {
  const auto run = test_support::run_command(verification(ranks, runs, name, options));
  INFO(run.err);
  CHECK(run.exit_code == 0);
  expect_parts(run, {"verified: " + std::to_string(runs) + " runs, " + std::to_string(ranks) + " ranks, ",
                     "exit code 0: all the same"});
  // The program's output once, as without --verify.
  CHECK(run.out == test_support::run_command(job(ranks, name, options)).out);
}

// The program `outside` on 3 ranks.
RunResult expect_difference(const std::string& what, const std::vector<std::string>& parts,
                            const std::vector<std::string>& options = {}) {
  const auto run = test_support::run_command(verification(3, 4, "outside", options, {what}));
  INFO(run.err);
  CHECK(run.exit_code == kDifferExit);
  expect_parts(run, parts);
  return run;
}

constexpr const char* kOutside = "the program itself did something else";

std::vector<int> descendants(int root) {
  std::vector<int> found;
  DIR* dir = opendir("/proc");
  if (dir == nullptr) return found;
  while (const dirent* entry = readdir(dir)) {
    const int pid = std::atoi(entry->d_name);
    for (int at = pid; at > 1; at = parent_of(at)) {
      if (at == root && pid != root) found.push_back(pid);
    }
  }
  closedir(dir);
  return found;
}

}  // namespace

TEST_CASE("a program that is the same in all runs") {
  expect_same(3, 9, "outside");
  expect_same(4, 3, "types");
  expect_same(4, 3, "comms");
  // Whether a send finds room in its lane is a matter of timing, and no event.
  expect_same(2, 6, "flood");
}

TEST_CASE("one way of starting") {
  for (const char* start : kStarts) {
    const auto run = test_support::run_command(verification(2, 3, "hello", {start}));
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.err, "exec start") == (std::string(start) == "--start=exec"));
    CHECK(contains(run.err, "fork start") == (std::string(start) == "--start=fork"));
  }
}

TEST_CASE("together with the options of the run") {
  expect_same(4, 3, "hello", {"--seed=7"});
  expect_same(4, 3, "modes", {"-l"});
  expect_same(2, 3, "hello", {"--lookahead=8", "--strict-sends", "--verify-seed=9"});
}

TEST_CASE("the digest is that of the run") {
  const auto plain = test_support::run_command(job(3, "outside", {"--digest"}));
  const std::string name = "digest ";
  const size_t at = plain.err.find(name);
  REQUIRE(at != std::string::npos);
  const auto run = test_support::run_command(verification(3, 2, "outside"));
  expect_parts(run, {plain.err.substr(at, name.size() + 16)});
}

TEST_CASE("a message that contains the time") {
  const auto run = expect_difference(
      "time", {"rank 2, event ", "run 1, time ", "MPI_Send sends 16 bytes with tag 5 to rank 0, content ", kOutside});
  CHECK(contains(run.out, "rank 0: "));  // that of the reference
}
TEST_CASE("a random tag") {
  expect_difference("tag", {"rank 2, event ", "MPI_Send sends 0 bytes with tag ", kOutside});
}
TEST_CASE("a process ID in a reduction") {
  expect_difference("pid", {"rank 1, event ", "MPI_Allreduce contributes 4 bytes, content ", kOutside});
}
TEST_CASE("a process ID in data that others read where they lie") {
  expect_difference(
      "parts", {"rank 1, event ", "MPI_Alltoallv contributes 100,000 bytes, on communicator 2, content ", kOutside});
}
TEST_CASE("a random number of calls") { expect_difference("polls", {"rank 1, event ", "MPI_Iprobe", kOutside}); }
TEST_CASE("what MPI_Wtime tells") {
  expect_difference("wtime", {"rank 2, event ", "MPI_Send sends 8 bytes with tag 6", kOutside, "--wtime=logical"});
  const auto logical = test_support::run_command(verification(3, 4, "outside", {"--wtime=logical"}, {"wtime"}));
  INFO(logical.err);
  CHECK(logical.exit_code == 0);
}
TEST_CASE("something from outside that is only printed") {
  expect_difference("print", {"the output differs in line 3", "run 1: \"random ", "run 2: \"random ",
                              "the program printed something that comes in from\n  outside"});
}

TEST_CASE("bytes that are no text do not cut the explanation off") {
  expect_difference("nul", {"the output differs in line 3", "run 1: \"a\\x00", "run 2: \"a\\x00",
                            "the program printed something that comes in from\n  outside"});
}

TEST_CASE("a rank that ends in another way") {
  expect_difference("abort", {"rank 1, its end\n    run 1: it ends the job with code ", "before it, in both",
                              "MPI_Abort is called", kOutside});
  const auto left = expect_difference("leave", {"rank 1, its end\n    run 1: it exits with code ", kOutside});
  CHECK(!contains(left.err, "several ranks fail"));
}

TEST_CASE("something that depends on the way of starting") {
  const auto both = expect_difference("start", {"the output differs in line ", "the way of starting", "--start=exec"});
  CHECK(!contains(both.err, "outside"));
  const auto alike = test_support::run_command(verification(3, 4, "outside", {"--start=exec"}, {"start"}));
  INFO(alike.err);
  CHECK(alike.exit_code == 0);
}

TEST_CASE("messages race in the order of arrival, and not in that of logical time") {
  const auto run = test_support::run_command(verification(4, 100, "outside", {"--order=arrival"}, {"race"}));
  INFO(run.err);
  CHECK(run.exit_code == kDifferExit);
  expect_parts(run, {"rank 0, event ", "messages raced", "MPI_Recv got 4 bytes with tag 7 from rank ",
                     "before it, in both", "MPI_Recv asks for a message with tag 7 from any rank"});
  const auto logical = test_support::run_command(verification(4, 4, "outside", {}, {"race"}));
  INFO(logical.err);
  CHECK(logical.exit_code == 0);
}

TEST_CASE("in the order of arrival a program without races is the same") {
  expect_same(3, 4, "outside", {"--order=arrival", "--ordered-output"});
}

TEST_CASE("a job that always fails in the same way") {
  const auto exits = test_support::run_command(verification(3, 4, "outside", {}, {"exit3"}));
  INFO(exits.err);
  CHECK(exits.exit_code == 3);
  expect_parts(exits, {"exit code 3: all the same", " bytes"});
}

// As detmpirun does where the program cannot be started, and where --timeout ends it.
TEST_CASE("a program that ends with an exit code of detmpirun's") {
  for (const char* start : kStarts) {
    for (const std::string code : {"124", "127"}) {
      const auto run = test_support::run_command(verification(2, 2, "outside", {start}, {"exit" + code}));
      INFO(run.err);
      CHECK(std::to_string(run.exit_code) == code);
      expect_parts(run, {"verified: 2 runs", "exit code " + code + ": all the same"});
    }
  }
}

// Crashes: ends_test.cpp.
TEST_CASE("a job that always dies in the same place") {
  const auto run = test_support::run_command(verification(3, 4, "outside", {}, {"die"}));
  INFO(run.err);
  CHECK(run.exit_code == 128 + SIGKILL);
  expect_parts(run,
               {"died of signal 9", "output not compared, as where the job ended depends on timing", "all the same"});
  CHECK(run.err.find("died of signal") == run.err.rfind("died of signal"));  // once
}

TEST_CASE("a deadlock is the same deadlock in all runs") {
  const auto run = test_support::run_command(verification(3, 3, "deadlock", {}, {"cycle"}));
  INFO(run.err);
  CHECK(run.exit_code == 122);
  expect_parts(run, {"3 of 3 ranks", "exit code 122: all the same"});
}

TEST_CASE("a run that takes too long is not compared") {
  auto argv = verification(2, 3, "outside", {}, {"nothing", "100000000"});
  argv[3] = "--timeout=0.5";
  const auto run = test_support::run_command(argv);
  INFO(run.err);
  CHECK(run.exit_code == 124);
  expect_parts(run, {"run 1 (undisturbed) was ended by --timeout"});
}

TEST_CASE("every run has the same standard input") {
  const auto run = test_support::run_command(verification(2, 4, "input"), "some text\n");
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(contains(run.out, "some text"));
}

TEST_CASE("command lines that are wrong") {
  for (const char* wrong : {"--verify=1", "--verify=0", "--verify=1001", "--verify=many", "--verify=-3"}) {
    const auto run = test_support::run_command({detmpirun(), wrong, program("hello")});
    INFO(wrong << ": " << run.err);
    CHECK(run.exit_code == 2);
    expect_parts(run, {"--verify takes a number of runs from 2 to 1000"});
  }
  const auto run = test_support::run_command({detmpirun(), "--verify=2", "--ordered-output=no", program("hello")});
  CHECK(run.exit_code == 2);
  expect_parts(run, {"--ordered-output=no"});
}

TEST_CASE("a program that cannot be started") {
  for (const char* start : kStarts) {
    const auto run = test_support::run_command({detmpirun(), "--verify=3", start, "/nowhere/program"});
    CHECK(run.exit_code == 127);
    CHECK(!contains(run.err, "run 2"));
    CHECK(!contains(run.err, "verified"));
  }
  const auto run =
      test_support::run_command({detmpirun(), "-n", "4000", "--memory=4M", "--verify=3", program("hello")});
  INFO(run.err);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.err, "shared memory"));
  CHECK(!contains(run.err, "run 2"));
  CHECK(!contains(run.err, "verified"));
}

TEST_CASE("when detmpirun is killed nothing is left, running or stopped") {
  for (int i = 0; i < 8; ++i) {
    const Running running(verification(4, 50, "outside", {}, {"nothing", "3000"}));
    usleep(40'000 + 70'000 * static_cast<useconds_t>(i));
    const auto below = descendants(running.pid());
    running.signal(SIGKILL);
    CHECK(all_gone(below));
  }
}

TEST_CASE("a signal for the program is passed on in every run") {
  constexpr int kRuns = 3;
  const auto folder = std::filesystem::temp_directory_path() / ("asked." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto file = folder / "ready";
  Running running(verification(1, kRuns, "signals", {}, {"asked", file}));
  // Each run writes a line of its own: a run may begin before this process sees that the last one has ended.
  std::string last;
  const auto wait_for_line = [&] {
    for (int i = 0; i < 60'000; ++i) {
      std::string line;
      if (std::getline(std::ifstream(file), line) && line != last) return line;
      usleep(1000);
    }
    return std::string();
  };
  for (int i = 0; i < kRuns; ++i) {
    last = wait_for_line();
    running.signal(SIGUSR1);
  }
  const auto run = running.finish();
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.out == "asked\n");
  expect_parts(run, {"verified: 3 runs"});
  std::filesystem::remove_all(folder);
}

TEST_CASE("when detmpirun is asked to end it ends the job") {
  for (const int signal : {SIGTERM, SIGINT}) {
    Running running(verification(4, 50, "outside", {}, {"nothing", "100000000"}));
    std::vector<int> below;
    for (int i = 0; i < 1000 && below.size() < 4; ++i) {  // on a loaded machine the ranks take their time
      usleep(10'000);
      below = descendants(running.pid());
    }
    CHECK(below.size() >= 4);
    running.signal(signal);
    const auto run = running.finish();
    CHECK(run.exit_code == 128 + signal);
    CHECK(all_gone(below));
  }
}
