// detmpirun: command line, input, signals, time-out, ways to start, and that no file is left behind.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>

#include "run_mpi.hpp"
#include "running.hpp"
#include "support/leak_check.hpp"

using namespace mpi_test;
using test_support::run_command;
using test_support::run_command_same;
using test_support::run_command_twice;

namespace {

std::vector<std::string> detmpirun_with(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {detmpirun()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

std::set<std::string> entries(const std::string& folder) {
  std::set<std::string> names;
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return names;
  while (const dirent* entry = readdir(dir)) names.insert(entry->d_name);
  closedir(dir);
  return names;
}

class EmptyFolder {
 public:
  EmptyFolder() {
    char name[] = "/tmp/detmpi-test-XXXXXX";
    path = mkdtemp(name) == nullptr ? "" : name;
  }
  ~EmptyFolder() { rmdir(path.c_str()); }
  std::string path;
};

}  // namespace

TEST_CASE("a wrong command line is explained and ends with 2") {
  const std::string hello = program("hello");
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"-n"},
      {"-n", "2"},
      {"-n", "0", hello},
      {"-n", "-3", hello},
      {"-n", "two", hello},
      {"-n", "2x", hello},
      {"-n", "", hello},
      {"-n", "5000", hello},
      {"-n", "99999999999999999999", hello},
      {"--start=thread", hello},
      {"--start", hello},
      {"--wtime=never", hello},
      {"--timeout=0", hello},
      {"--timeout=-1", hello},
      {"--timeout=soon", hello},
      {"--timeout=", hello},
      {"--grace=-1", hello},
      {"--grace=soon", hello},
      {"--memory=1", hello},
      {"--memory=1X", hello},
      {"--memory=nan", hello},
      {"--memory=-1G", hello},
      {"--memory=1GG", hello},
      {"--ordered-output=maybe", hello},
      {"--huge-pages=maybe", hello},
      {"--no-such-option", hello},
      {"-launcher", "ssh", hello},
      {"-hosts", "here", hello},
      {"-Version", hello},
      {"--seed= -1", hello},
  };
  for (const auto& arguments : wrong) check_is_wrong(detmpirun_with(arguments));
}

TEST_CASE("help and version") {
  const RunResult help = run_command_same(detmpirun_with({"--help"}));
  CHECK(help.exit_code == 0);
  for (const char* option : {"-n", "--start", "--wtime", "--memory", "--timeout", "--grace", "-x NAME=VALUE"})
    CHECK(contains(help.out, option));
  CHECK(help.err.empty());
  CHECK(run_command_same(detmpirun_with({"-h"})).out == help.out);
  CHECK(contains(run_command_same(detmpirun_with({"-hostfile", "f", "true"})).err, "hosts cannot be named"));
  const RunResult version = run_command_same(detmpirun_with({"--version"}));
  CHECK(version.exit_code == 0);
  CHECK(contains(version.out, "DLinux"));
}

TEST_CASE("the number of ranks in every spelling") {
  const std::string hello = program("hello");
  const std::string three = "[0] hello 0 of 3\n[1] hello 1 of 3\n[2] hello 2 of 3\n";
  CHECK(run_command_same(detmpirun_with({"-n", "3", hello})).out == three);
  CHECK(run_command_same(detmpirun_with({"-n3", hello})).out == three);
  CHECK(run_command_same(detmpirun_with({"-np", "3", hello})).out == three);
  CHECK(run_command_same(detmpirun_with({hello})).out == "[0] hello 0 of 1\n");
}

TEST_CASE("arguments reach the program as they are") {
  const std::vector<std::string> arguments = {"-n", "", "a b", "--start=exec", "$HOME", "'\"\\"};
  for (const char* start : kStarts) {
    const auto run = run_command_same(job(2, "hello", {start}, arguments));
    CHECK(run.out ==
          "[0] hello 0 of 2 <-n> <> <a b> <--start=exec> <$HOME> <'\"\\>\n"
          "[1] hello 1 of 2 <-n> <> <a b> <--start=exec> <$HOME> <'\"\\>\n");
  }
}

TEST_CASE("a program that cannot be started ends with 127") {
  for (const char* start : kStarts) {
    for (const char* name : {"./no-such-program", "no-such-program", "/", "/dev/null"}) {
      const RunResult result = run_command_same(detmpirun_with({"-n", "3", start, name}));
      INFO(name << " " << start << "\n" << result.err);
      CHECK(result.exit_code == 127);
      CHECK(contains(result.err, name));
      CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    }
  }
}

TEST_CASE("ranks that cannot be started are told of once, whichever ends first") {
  const std::string expected = "detmpirun: ./no-such-program: starting the program: No such file or directory\n";
  for (int i = 0; i < 20; ++i) {
    const RunResult result = run_command(detmpirun_with({"-n", "4", "--start=exec", "./no-such-program"}));
    CHECK(result.exit_code == 127);
    CHECK(result.err == expected);
    CHECK(result.out.empty());
  }
}

TEST_CASE("programs that are not MPI programs") {
  // Fork start knows only in MPI_Init that there are several ranks.
  const std::string path = program("without_mpi");
  CHECK(run_command_same(detmpirun_with({"-n", "3", "--start=fork", path})).out == "no MPI here\n");
  CHECK(run_command_same(detmpirun_with({"-n", "3", "--start=exec", path})).out ==
        "no MPI here\nno MPI here\nno MPI here\n");
  for (const char* start : kStarts) {
    // Once: by exec the job ends with the first rank, and how many have printed by then differs.
    CHECK(run_command(detmpirun_with({"-n", "3", start, path, "5"})).exit_code == 5);
    CHECK(run_command_same(detmpirun_with({"-n", "2", start, "true"})).exit_code == 0);
    CHECK(run_command_same(detmpirun_with({"-n", "2", start, "sh", "-c", "exit 4"})).exit_code == 4);
  }
}

TEST_CASE("threads that were begun before the ranks were forked are told of") {
  const std::string told = "the program has begun 1 thread before";
  for (const char* start : kStarts) {
    const auto run = run_command_same(job(2, "threads", {start}));
    INFO(run.err);
    const std::string rest = "main thread 1, another one 0, level 0: MPI_THREAD_SINGLE\n";
    CHECK(run.out == "[0] " + rest + "[1] " + rest);
    CHECK(contains(run.err, told) == (start == std::string("--start=fork")));
  }
}

TEST_CASE("a thread level that there is not is the nearest that is provided") {
  const auto level = [](const char* required) {
    const std::string out = run_command_same(job(1, "threads", {"--start=exec"}, {required})).out;
    return out.substr(std::min(out.size(), out.find("level")));
  };
  CHECK(level("-1") == "level 0: MPI_THREAD_SINGLE\n");
  CHECK(level("-100000") == "level 0: MPI_THREAD_SINGLE\n");
  CHECK(level("2") == "level 2: MPI_THREAD_SERIALIZED\n");
  CHECK(level("3") == "level 2: MPI_THREAD_SERIALIZED\n");
  CHECK(level("100000") == "level 2: MPI_THREAD_SERIALIZED\n");
}

TEST_CASE("two threads may call MPI by turns, and not at once") {
  for (const char* start : kStarts) {
    const auto turns = run_command(job(2, "two_threads", {start}, {"turns"}));
    INFO(turns.err);
    CHECK(turns.exit_code == 0);
    const auto at_once = run_command(job(2, "two_threads", {start}, {"at once"}));
    INFO(at_once.err);
    constexpr int kErrOther = 15;
    CHECK(at_once.exit_code == kErrOther);
    const auto told = [&](const std::string& call, const std::string& other) {
      return contains(at_once.err, "DetMPI: rank 0: " + call + ": another thread is in " + other +
                                       ", and MPI_THREAD_MULTIPLE is not provided; the job ends\n");
    };
    CHECK((told("MPI_Barrier", "MPI_Recv") || told("MPI_Recv", "MPI_Barrier")));  // whichever came later
  }
}

TEST_CASE("programs in Fortran and Python are asked to print line by line") {
  const std::vector<std::string> print = {"sh", "-c", "echo $GFORTRAN_UNBUFFERED_PRECONNECTED $PYTHONUNBUFFERED"};
  auto argv = detmpirun_with({"-n", "1"});
  argv.insert(argv.end(), print.begin(), print.end());
  CHECK(run_command_same(argv).out == "y 1\n");
  argv.insert(argv.begin(), {"env", "GFORTRAN_UNBUFFERED_PRECONNECTED=n", "PYTHONUNBUFFERED="});
  CHECK(run_command_same(argv).out == "n\n");
}

TEST_CASE("without detmpirun a program is a job of one rank") {
  const auto run = run_command_same({program("hello"), "alone"});
  CHECK(run.out == "[0] hello 0 of 1 <alone>\n");
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  const auto first = run_command_same({"env", "PMI_SIZE=3", "PMI_RANK=0", program("hello")});
  CHECK(first.exit_code == 0);
  CHECK(contains(first.err, "started 3 times (PMI_SIZE) by another launcher"));
  CHECK(run_command_same({"env", "PMI_SIZE=3", "PMI_RANK=1", program("hello")}).err.empty());
  CHECK(run_command_same({"env", "PMI_SIZE=1", "PMI_RANK=0", program("hello")}).err.empty());
}

TEST_CASE("a rank may start a job of its own") {
  for (const char* start : kStarts) {
    const auto run = run_command_same(job(3, "nested", {start}, {program("hello")}));
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.out == "[0] hello 0 of 1 <inside>\noutside\n");
  }
}

TEST_CASE("a rank is a space and may have child spaces and channels") {
  for (const char* start : kStarts) {
    const auto run = run_command_same(job(3, "rank_spaces", {start}));
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.out == "[0] answered 21, sum 33\n[1] answered 1, sum 33\n[2] answered 11, sum 33\n");
  }
  const auto alone = run_command_same({program("rank_spaces")});
  INFO(alone.err);
  CHECK(alone.exit_code == 0);
  CHECK(alone.out == "[0] answered 1, sum 1\n");
}

TEST_CASE("the monitor collects the orphans of its ranks") {
  for (const char* start : kStarts) {
    const auto run = run_command_same(job(3, "orphans", {start}));
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.out == "[0] 20 orphans are gone\n[1] 20 orphans are gone\n[2] 20 orphans are gone\n");
  }
}

TEST_CASE("many more ranks than cores") {
  for (const char* start : kStarts) {
    const auto run = run_command_same(job(200, "hello", {start}));
    INFO(run.err);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "[199] hello 199 of 200\n"));
  }
}

TEST_CASE("standard input goes to rank 0 alone") {
  for (const char* start : kStarts) {
    const auto run = run_command_same(job(3, "input", {start}), "some text\nin two lines\n");
    CHECK(run.out == "[0] 23 bytes: some text\nin two lin\n[1] 0 bytes: \n[2] 0 bytes: \n");
    std::string large(3000000, 'x');
    CHECK(run_command_same(job(2, "input", {start}), large).out ==
          "[0] 3000000 bytes: xxxxxxxxxxxxxxxxxxxx\n[1] 0 bytes: \n");
  }
}

TEST_CASE("SIGUSR1 and SIGUSR2 are passed on and do not end the job") {
  for (const char* start : kStarts) {
    Running running(job(4, "signals", {start, kPrintAtOnce}, {"count"}));
    REQUIRE(running.wait_for_lines(4));
    running.signal(SIGUSR1);
    running.signal(SIGUSR2);
    const RunResult result = running.finish();
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(all_gone(running.numbers()));
  }
}

TEST_CASE("SIGTERM, SIGINT and SIGHUP end the job") {
  for (const char* start : kStarts) {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
      Running running(job(4, "signals", {start, kPrintAtOnce}));
      REQUIRE(running.wait_for_lines(4));
      running.signal(signal);
      const Stopwatch watch;
      const RunResult result = running.finish();
      INFO(result.err);
      CHECK(result.exit_code == 128 + signal);
      CHECK(watch.seconds() < 10);
      CHECK(all_gone(running.numbers()));
    }
  }
}

TEST_CASE("signals that are ignored stay ignored") {
  for (const char* start : kStarts) {
    auto ignoring = std::vector<std::string>{"sh", "-c", "trap '' HUP INT; exec \"$@\"", "sh"};
    const auto command = job(2, "signals", {start, kPrintAtOnce});
    ignoring.insert(ignoring.end(), command.begin(), command.end());
    Running running(ignoring);
    REQUIRE(running.wait_for_lines(2));
    running.signal(SIGHUP);
    running.signal(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    running.signal(SIGTERM);
    CHECK(running.finish().exit_code == 128 + SIGTERM);
  }
}

TEST_CASE("ranks may clean up on SIGTERM; stubborn ones are ended") {
  for (const char* start : kStarts) {
    Running clean(job(3, "signals", {start, kPrintAtOnce}, {"clean"}));
    REQUIRE(clean.wait_for_lines(3));
    clean.signal(SIGTERM);
    const RunResult cleaned = clean.finish();
    CHECK(cleaned.exit_code == 128 + SIGTERM);
    CHECK(contains(cleaned.out, "cleaned up\ncleaned up\ncleaned up\n"));
    Running stubborn(job(3, "signals", {start, kPrintAtOnce}, {"stubborn"}));
    REQUIRE(stubborn.wait_for_lines(3));
    const Stopwatch watch;
    stubborn.signal(SIGINT);
    const RunResult ended = stubborn.finish();
    CHECK(ended.exit_code == 128 + SIGINT);
    CHECK(watch.seconds() < 20);
    CHECK(all_gone(stubborn.numbers()));
  }
}

TEST_CASE("the time-out ends the job with 124") {
  for (const char* start : kStarts) {
    Running running(detmpirun_with({"-n", "3", "--timeout=0.3", start, program("printing"), "stuck"}));
    const Stopwatch watch;
    const RunResult result = running.finish();
    INFO(result.err);
    CHECK(result.exit_code == 124);
    CHECK(result.err == "DLinux: the time that --timeout allows is up; the job ends\n");
    CHECK(watch.seconds() < 10);
    CHECK(all_gone(running.numbers()));
  }
  // No rank has come to MPI_Init: detmpirun is no space, and names none.
  const RunResult without = run_command_same(detmpirun_with({"--timeout=0.1", "sleep", "100"}));
  CHECK(without.exit_code == 124);
  CHECK(without.err == "DLinux: the time that --timeout allows is up; the job ends\n");
}

TEST_CASE("a job whose tables do not fit into the shared memory does not begin") {
  for (const char* start : kStarts) {
    const RunResult result = run_command_same(detmpirun_with({"-n", "256", "--memory=4M", start, program("hello")}));
    INFO(result.err);
    CHECK(result.exit_code == 1);
    CHECK(contains(result.err, "detmpirun: the tables of 256 ranks take "));
    CHECK(contains(result.err, " MiB of shared memory; --memory=SIZE gives more: Cannot allocate memory\n"));
  }
}

TEST_CASE("a job for which there is no address space does not begin") {
  if (test_support::kAddressSanitizer) return;  // which needs more itself
  const std::vector<std::string> limited = {"sh", "-c", "ulimit -v 1000000; exec \"$@\"", "sh"};
  std::vector<std::string> argv = detmpirun_with({"-n", "2", "--memory=64G", program("hello")});
  argv.insert(argv.begin(), limited.begin(), limited.end());
  const RunResult result = run_command_same(argv);
  CHECK(result.exit_code == 1);
  CHECK(contains(result.err, "no address space for the shared memory"));
  CHECK(contains(result.err, "--memory=SIZE asks for less: Cannot allocate memory\n"));
}

TEST_CASE("a job that has used up its shared memory ends with a message") {
  const auto expect_told = [](const std::string& what, const char* message) {
    const RunResult result =
        run_command_same(detmpirun_with({"-n", "4", "--memory=64M", "--direct-from=never", program("exhaust"), what}));
    INFO(result.err);
    CHECK(result.exit_code == 1);
    CHECK(contains(result.err, std::string("DetMPI: rank 0: ") + message +
                                   "; detmpirun --memory=SIZE says how much there is; the job ends\n"));
  };
  expect_told("communicators", "MPI_Comm_dup: no shared memory is left for a communicator of 4 ranks");
  expect_told("gather",
              "MPI_Gather: no shared memory is left for a copy of 160000000 bytes that other ranks are to reach");
}

TEST_CASE("long memory of the program asks for huge pages") {
  if (test_support::kAddressSanitizer) return;  // which has a malloc of its own
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    WARN("not tried: this system has none");
    return;
  }
  for (const char* start : kStarts) {
    const auto expect_told = [&](const std::string& option, const char* mind, const char* shorter,
                                 const char* forbidden) {
      const RunResult result = run_command_same(job(2, "huge_pages", {start, option}, {mind}));
      INFO(result.err);
      CHECK(result.exit_code == 0);
      CHECK(result.out == std::string("variables 1\nfew shorter blocks 0, many ") + shorter +
                              "\nmalloc 1\nrealloc 1\ncalloc 1\nposix_memalign 1\naligned_alloc 1\n"
                              "one by itself 1, its beginning 1, before its first page 0\nforbidden " +
                              forbidden + "\n");
    };
    expect_told("--huge-pages", "no-mind", "1", "0");
    expect_told("--huge-pages=no", "no-mind", "1", "1");
    expect_told("--huge-pages", "own-mind", "0", "0");  // the program has called mallopt
    const RunResult result = run_command_same(job(1, "huge_pages", {start}, {"short-blocks"}));
    INFO(result.err);
    CHECK(result.out == "short blocks made huge 0\n");
  }
}

TEST_CASE("long blocks lie at offsets of their own in huge pages, the same in each run, and grow without copies") {
  if (test_support::kAddressSanitizer) return;  // which has a malloc of its own
  for (const char* start : kStarts) {
    const RunResult result = run_command_same(job(3, "long_blocks", {start}));
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "rank 2: blocks at "));
  }
}

TEST_CASE("the logical clock repeats, and begins where it began") {
  for (const char* start : kStarts) {
    for (const int ranks : {1, 2, 5}) {
      const auto first = run_command(job(ranks, "clock", {start, "--wtime=logical"}));
      INFO(ranks << " ranks, " << start << "\n" << first.err);
      REQUIRE(first.exit_code == 0);
      for (int i = 0; i < 5; ++i) CHECK(run_command(job(ranks, "clock", {start, "--wtime=logical"})) == first);
    }
    // Real time does not repeat: the comparison above could have failed.
    const auto real = run_command_twice(job(2, "clock", {start}));
    CHECK(real.first.exit_code == 0);
    CHECK(!(real.first == real.second));
  }
}

TEST_CASE("no file is left behind, however a job ends") {
  const auto shared = entries("/dev/shm");
  const EmptyFolder folder;
  REQUIRE(!folder.path.empty());
  for (const char* start : kStarts) {
    Running well(job(3, "hello", {start}), folder.path);
    CHECK(well.finish().exit_code == 0);
    Running crashed(job(3, "ends", {start}, {"kill", "1"}), folder.path);
    CHECK(crashed.finish().exit_code == 128 + SIGKILL);
    Running killed(job(3, "signals", {start, kPrintAtOnce}), folder.path);
    REQUIRE(killed.wait_for_lines(3));
    killed.signal(SIGKILL);
    killed.finish();
    CHECK(all_gone(killed.numbers()));
  }
  CHECK(entries(folder.path) == std::set<std::string>{".", ".."});
  CHECK(entries("/dev/shm") == shared);
}
