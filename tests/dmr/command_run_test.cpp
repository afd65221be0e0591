// The command's job `run`: how much memory a combiner takes, how long a reduction may do nothing, and what is left of
// its commands when it ends before its time.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <climits>
#include <csignal>
#include <thread>

#include "../detmpi/running.hpp"
#include "command.hpp"
#include "support/sanitized.hpp"

using namespace dmr_test;
using mpi_test::Running;

namespace {

// The numbers of the processes that were started with these words.
std::vector<int> running(const std::string& words) {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line;
    std::getline(file, line);  // nothing, if the process has ended meanwhile
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line == words + ' ') found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

template <typename Ready>
bool wait_until(Ready&& ready) {
  for (int i = 0; i < 3000; ++i) {
    if (ready()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// Starts the command, and sends it the signal once a process with these words runs; how it ended. What it had started
// is gone then; the file that the reduction makes was not finished.
void signal_and_check(const std::vector<std::string>& arguments, const std::string& started, int signal) {
  Running dmr(dmr_command(arguments));
  CHECK(wait_until([&] { return !running(started).empty(); }));
  dmr.signal(signal);
  const auto run = dmr.finish();
  INFO(run.err);
  CHECK(run.signal == signal);
  CHECK(run.out.empty());
  const auto left = running(started);
  CHECK(left.empty());
  for (const int pid : left) kill(pid, SIGKILL);
}

// In MiB. The sanitizers' own memory is more than all that is to be limited.
constexpr long kMostMemory = test_support::kAddressSanitizer ? LONG_MAX : 64;

// The most memory in MiB that a process of this command had.
long most_memory(const std::vector<std::string>& arguments, std::string& output) {
  const auto run = test_support::run_function([&] {
    const auto dmr = run_dmr(arguments);
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    std::printf("%ld %s", usage.ru_maxrss >> 10, dmr.out.c_str());
    return dmr.exit_code;
  });
  CHECK(run.exit_code == 0);
  output = run.out.substr(run.out.find(' ') + 1);
  return std::stol(run.out);
}

}  // namespace

TEST_CASE("run: a combiner's input does not outgrow the memory limit, and is the same whatever that is") {
  const Folder folder;
  const std::string file = folder.file("line", "x\n");
  // What the combiner makes of its input depends on all of it.
  const auto arguments = [&](const char* workers, const char* memory) {
    return std::vector<std::string>{
        "run", "-w", workers, "-m", memory, "--map=seq 2000000 | sed 's/.$/\t&/'", "--combine=md5sum", file};
  };
  std::string expected, got;
  most_memory(arguments("1", "2G"), expected);
  CHECK(expected.size() > 32);
  for (const char* memory : {"1M", "16M"}) {
    for (const char* workers : {"1", "3"}) {
      CHECK(most_memory(arguments(workers, memory), got) < kMostMemory);
      CHECK(got == expected);
    }
  }
}

TEST_CASE("run: a combiner's input is sorted, with little memory too, and lines may be long") {
  const Folder folder;
  std::string text, long_line(1 << 20, 'v');
  for (int i = 0; i < 30000; ++i) {
    text += "k" + std::to_string(i * 7919LL % 101) + (i % 3 == 0 ? "" : '\t' + std::to_string(i)) + '\n';
    if (i % 9999 == 5) text += "k50\t" + long_line + '\n';
  }
  const std::string file = folder.file("text", text);
  std::string expected;
  for (const char* memory : {"1G", "1K"}) {
    const auto run = run_dmr({"run", "-w", "2", "-m", memory, "--split=5M", "--map=cat", "--combine=cat", file});
    CHECK(run.exit_code == 0);
    if (expected.empty()) expected = run.out;
    CHECK((run.out == expected));
  }
  const auto sorted = run_dmr({"run", "--map=sed 's/^[^\t]*$/&\t/'", file});
  CHECK((sorted.out == expected));
}

TEST_CASE("run: a combiner is not run where the map has written nothing") {
  const Folder folder;
  const std::string file = folder.file("lines", "a\nb\nc\n");
  const auto run = run_dmr({"run", "--map=grep -v b || true", "--combine=cat; echo end", "--split=2", file});
  CHECK(run.exit_code == 0);
  CHECK(run.out == "a\t\nc\t\nend\nend\n");
}

TEST_CASE("run: a signal ends the commands too, and then dmr") {
  const Folder folder;
  const std::string sleep = "sleep 9998" + std::to_string(getpid()), file = folder.file("lines", "a\nb\n");
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    INFO(signal);
    signal_and_check({"run", "--map=cat | (" + sleep + "; cat)", file}, sleep, signal);
    signal_and_check({"run", "--map=cat", "--reduce=cat | (" + sleep + "; cat)", file}, sleep, signal);
  }
}

TEST_CASE("run: a reduction whose input was cut off does not come to an end") {
  const Folder folder;
  const std::string sleep = "sleep 9997" + std::to_string(getpid()), file = folder.file("lines", "a\nb\n");
  const std::string made = folder.path("made"),
                    reduce = "sort | (cat > " + made + ".part; mv " + made + ".part " + made;
  for (int i = 0; i < 5; ++i) {
    signal_and_check({"run", "--map=" + sleep, "--reduce=" + reduce + ")", file}, sleep, SIGTERM);
    CHECK(run_dmr({"run", "--map=sleep 0.1; exit 1", "--reduce=" + reduce + ")", file}).exit_code == 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(fs::exists(made));
  }
}

TEST_CASE("run: signals that are ignored stay ignored") {
  const Folder folder;
  // The parent of a map command's parent is dmr.
  const std::string map = "kill -HUP $(cut -d ' ' -f 4 /proc/$PPID/stat); sleep 0.2; cat";
  for (const bool ignored : {true, false}) {
    std::vector<std::string> shell = {"sh", "-c", ignored ? "trap '' HUP; exec \"$@\"" : "exec \"$@\"", "sh"};
    const std::vector<std::string> arguments = {"run", "-w1", "--map=" + map, folder.file("lines", "a\n")};
    for (const std::string& word : dmr_command(arguments)) shell.push_back(word);
    const auto run = test_support::run_command(shell);
    INFO(run.err);
    CHECK(run.signal == (ignored ? 0 : SIGHUP));
    CHECK(run.out == (ignored ? "a\n" : ""));
  }
}

TEST_CASE("run: a reduction that does nothing for longer than the time limit ends the job") {
  const Folder folder;
  const std::string sleep = "sleep 9996" + std::to_string(getpid());
  const std::string file = folder.file("lines", "a\nb\n"), large = folder.file("large", words(1 << 20));
  const auto failing = [&](const std::string& of, const std::string& reduce) {
    const auto run = run_dmr({"run", "--map=cat", "--reduce=" + reduce, "--time-limit=0.5", of});
    CHECK(run.exit_code == 1);
    CHECK(run.out.empty());
    CHECK(run.err == "dmr: reducer 0: the command '" + reduce + "' has neither read nor written anything for 0.5 s\n");
    CHECK(running(sleep).empty());
  };
  failing(file, "cat; " + sleep);
  failing(large, sleep);
  // It reads, or writes, all the time.
  CHECK(run_dmr({"run", "--map=cat", "--reduce=for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done; cat",
                 "--time-limit=1", file})
            .out == "1\n2\n3\n4\n5\n6\na\t\nb\t\n");
}

TEST_CASE("run: what the machine lacks ends the job, and nothing is left out for it") {
  const Folder folder;
  const std::string file = folder.file("lines", "a\nb\nc\n"), out = folder.path("out");
  const auto unsorted = run_dmr_in("TMPDIR=/nonexistent exec \"$@\"",
                                   {"run", "--map=cat", "--combine=cat", "--split=2", "--skip=9", "-o", out, file});
  CHECK(unsorted.exit_code == 1);
  CHECK(unsorted.err == "dmr: worker 0: /nonexistent: no temporary file can be made: No such file or directory\n");
  CHECK_FALSE(fs::exists(out));
  // However many files there may be: all of the output, or none.
  for (int files = 4; files < 24; ++files) {
    const auto run = run_dmr_in("ulimit -n " + std::to_string(files) + "; exec \"$@\"",
                                {"run", "-w1", "--map=cat", "--combine=cat", "--skip=9", file});
    INFO(files << ": " << run.err);
    CHECK(run.out == (run.exit_code == 0 ? "a\t\nb\t\nc\t\n" : ""));
  }
}

TEST_CASE("run: which of the reductions has failed") {
  const Folder folder;
  const std::string file = folder.file("lines", "a\nb\nc\nd\ne\nf\ng\n");
  const std::string reduce = "! grep e";
  const auto run = run_dmr({"run", "--map=cat", "--reduce=" + reduce, "--reducers=3", file});
  CHECK(run.exit_code == 1);
  CHECK(run.err.find("dmr: reducer ") == 0);
  CHECK(run.err.find(": the command '! grep e' ended with exit code 1") != std::string::npos);
}
