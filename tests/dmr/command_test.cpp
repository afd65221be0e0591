// The command: its jobs wordcount and run, its output, its errors.
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "command.hpp"
#include "workers.hpp"

using namespace dmr_test;

namespace {

constexpr const char* kMemory[] = {"1M", "1G"};

// What `dmr wordcount` is to print.
std::string counted(const std::string& text) {
  std::map<std::string, int> counts;
  std::string word;
  for (const char c : text + ' ') {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
    if (letter || (c == '\'' && !word.empty())) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!word.empty()) {
      counts[std::exchange(word, "")] += 1;
    }
  }
  std::string lines;
  for (const auto& [of, count] : counts) lines += of + '\t' + std::to_string(count) + '\n';
  return lines;
}

void expect_failure(const std::vector<std::string>& arguments, int code, const std::string& message) {
  const std::string told = message_of_failure(arguments, code);
  INFO(told);
  CHECK(told.find(message) != std::string::npos);
}

std::string of(int workers) { return "--workers=" + std::to_string(workers); }

// The names that come into being in a folder.
class NewNames {
 public:
  explicit NewNames(const std::string& folder) : events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    REQUIRE(inotify_add_watch(events_, folder.c_str(), IN_CREATE | IN_MOVED_TO) >= 0);
  }
  ~NewNames() { close(events_); }
  NewNames(const NewNames&) = delete;
  NewNames& operator=(const NewNames&) = delete;

  // Those since the last call, in their order.
  std::vector<std::string> take() {
    std::vector<std::string> names;
    alignas(inotify_event) char bytes[4096];
    for (ssize_t got; (got = read(events_, bytes, sizeof bytes)) > 0;) {
      for (const char* at = bytes; at < bytes + got;) {
        const auto* const event = reinterpret_cast<const inotify_event*>(at);
        names.emplace_back(event->name);
        at += sizeof *event + event->len;
      }
    }
    return names;
  }

 private:
  int events_;
};

bool has_files_without_names(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return file >= 0 && close(file) == 0;
}

}  // namespace

TEST_CASE("wordcount: the same for any workers and memory, from files and from standard input") {
  const Folder folder;
  const std::string one = words(2 << 20) + "caf\xc3\xa9 'quoted' don't -- x2y\n" + std::string(1000, 'q');
  const std::string two = "A last word without a line end";
  const std::string expected = counted(one + ' ' + two);
  const std::vector<std::string> files = {folder.file("one", one), folder.file("two", two)};
  for (const int workers : kWorkers) {
    for (const char* memory : kMemory) {
      const auto run = run_dmr({"wordcount", of(workers), "-m", memory, files[0], files[1]});
      CHECK(run.exit_code == 0);
      CHECK(run.err.empty());
      CHECK((run.out == expected));
    }
  }
  CHECK((run_dmr({"wordcount"}, one + ' ' + two).out == expected));
  CHECK((run_dmr({"wordcount", "-"}, one + ' ' + two).out == expected));
  CHECK(run_dmr({"wordcount"}, "").out.empty());
}

TEST_CASE("wordcount --top") {
  const std::string text = "b b a a a c c d e e e e";
  CHECK(run_dmr({"wordcount", "--top=3"}, text).out == "e\t4\na\t3\nb\t2\n");
  CHECK(run_dmr({"wordcount", "--top", "100"}, text).out == "e\t4\na\t3\nb\t2\nc\t2\nd\t1\n");
}

TEST_CASE("run: keys sorted, values in the order of the input") {
  std::string text, expected;
  std::map<std::string, std::string> by_key;
  for (int i = 0; i < 200000; ++i) {
    const std::string key = "k" + std::to_string(i * 7919LL % 1009), value = i % 3 == 0 ? "" : '\t' + std::to_string(i);
    text += key + value + '\n';
    by_key[key] += key + value + '\n';
  }
  for (const auto& [key, lines] : by_key) expected += lines;
  for (const int workers : kWorkers) {
    for (const char* memory : kMemory) {
      const auto run = run_dmr({"run", "--map=cat", "--split=100K", of(workers), "-m", memory}, text);
      CHECK(run.exit_code == 0);
      CHECK((run.out == expected));
    }
  }
}

TEST_CASE("run: a streaming job in a shell's own words") {
  const Folder folder;
  const std::string text = words(1 << 20), file = folder.file("text", text);
  const std::string map = "tr 'A-Z' 'a-z' | grep -o \"[a-z][a-z']*\" | sed 's/$/\\t1/'";
  const std::string reduce = "cut -f 1 | uniq -c | awk '{ print $2 \"\\t\" $1 }'";
  const std::string expected = counted(text);
  for (const int workers : kWorkers) {
    const auto run = run_dmr({"run", of(workers), "--split=64K", "--map=" + map, "--reduce=" + reduce, file});
    INFO(run.err);
    CHECK((run.out == expected));
  }
  // In parts, whose order is another.
  const auto parts =
      run_dmr({"run", "-w", "1", "--split=64K", "--map=" + map, "--reduce=" + reduce, "--reducers=5", file});
  CHECK(parts.out.size() == expected.size());
  CHECK((parts.out != expected));
  for (const int workers : kWorkers) {
    const auto run =
        run_dmr({"run", of(workers), "--split=32K", "--map=" + map, "--reduce=" + reduce, "--reducers=5", file});
    CHECK((run.out == parts.out));
  }
}

TEST_CASE("run: a combiner gets the sorted pairs of each part, and its own go to the reduction") {
  const Folder folder;
  const std::string text = words(1 << 20), file = folder.file("text", text);
  const std::string map = "tr 'A-Z' 'a-z' | grep -o \"[a-z][a-z']*\" | sed 's/$/\\t1/'";
  const std::string add =
      "awk -F '\\t' '{ if (NR > 1 && $1 != last) { print last \"\\t\" sum; sum = 0 } "
      "last = $1; sum += $2 } END { if (NR) print last \"\\t\" sum }'";
  for (const int workers : kWorkers) {
    const auto run =
        run_dmr({"run", of(workers), "--split=64K", "--map=" + map, "--reduce=" + add, file, "--combine=" + add});
    INFO(run.err);
    CHECK((run.out == counted(text)));
  }
  // A line without a tab is a key with nothing behind its tab, as in a reduction.
  const std::string lines = folder.file("lines", "b\na\nb\n"), log = folder.path("log");
  CHECK(run_dmr({"run", "--map=cat", "--combine=tee " + log, lines}).out == "a\t\nb\t\nb\t\n");
  CHECK(folder.read("log") == "a\t\nb\t\nb\t\n");
  CHECK(run_dmr({"run", "--map=cat", "--combine=sed 's/\\t$/\\tx/'", lines}).out == "a\tx\nb\tx\nb\tx\n");
  const auto bad = run_dmr({"run", "--map=cat", "--combine=exit 3", lines});
  CHECK(bad.exit_code == 1);
  CHECK(bad.err.find("the command 'exit 3' ended with exit code 3") != std::string::npos);
}

TEST_CASE("run: what the commands are told, and what they may do") {
  const Folder folder;
  const std::string file = folder.file("lines", "a\nb\nc\n");
  const std::string tell = "echo $mapreduce_map_input_file $mapreduce_map_input_start $mapreduce_map_input_length";
  CHECK(run_dmr({"run", "--map=" + tell, file}).out == file + " 0 6\n");
  // A reduction that does not read everything, a map that reads nothing, and a last line without an end.
  CHECK(run_dmr({"run", "--map=seq 100000", "--reduce=head -n 2", file}).out == "1\t\n10\t\n");
  CHECK(run_dmr({"run", "--map=printf 'x\\ty'", file}).out == "x\ty\n");
  expect_failure(
      {"run", "--map=exit 3", file}, 1,
      "dmr: worker 0: the command 'exit 3' ended with exit code 3, in the map of " + file + ", bytes 0 to 6");
  expect_failure({"run", "--map=kill -9 $$", file}, 1, "died of SIGKILL");
  expect_failure({"run", "--map=cat", "--reduce=cat; exit 4", file}, 1,
                 "the command 'cat; exit 4' ended with exit code 4");
  expect_failure({"run", "--map=sleep 100", "--time-limit=1", file}, 1, "took longer than 1 s, in the map of");
}

TEST_CASE("what fails is left out where that is asked for") {
  const Folder folder;
  const std::string file = folder.file("lines", std::string(100000, 'a') + "\nb\n");
  const std::string map = "test $mapreduce_map_input_start -gt 0 && cat";
  const auto run = run_dmr({"run", "--split=50K", "--map=" + map, "--skip=1", file});
  CHECK(run.exit_code == 0);
  CHECK(run.out == "b\n");
  CHECK(run.err.find("dmr: left out: worker 0: ") == 0);
}

TEST_CASE("an output file appears when it is complete, or not at all") {
  const Folder folder;
  const std::string text = words(100000), out = folder.path("out");
  CHECK(run_dmr({"wordcount", "-o", out}, text).out.empty());
  CHECK((folder.read("out") == counted(text)));
  CHECK(run_dmr({"run", "--map=exit 1", "-o", out}, text).exit_code == 1);
  CHECK((folder.read("out") == counted(text)));
  CHECK(run_dmr({"run", "--map=exit 1", "-o", folder.path("other")}, text).exit_code == 1);
  CHECK(folder.entries() == 1);
  expect_failure({"wordcount", "-o", folder.path("no/such/folder"), folder.path("out")}, 1, "making a file");
  expect_failure({"wordcount", "-o", folder.path(), folder.path("out")}, 1, "Is a directory");
  CHECK(folder.entries() == 1);
}

TEST_CASE("an output file has no other name before its own, which a killed job would leave behind") {
  const Folder folder;
  if (!has_files_without_names(folder.path())) {
    WARN("not tested: the file system has no files without names");
    return;
  }
  NewNames names(folder.path());
  const std::vector<std::string> job = {"wordcount", "-o", folder.path("out"), "--temporary=" + folder.path()};
  CHECK(run_dmr(job, "a").exit_code == 0);
  CHECK((names.take() == std::vector<std::string>{"out"}));
  CHECK(run_dmr(job, "b").exit_code == 0);  // replaces it
  const auto replacing = names.take();
  REQUIRE(!replacing.empty());
  CHECK(replacing.back() == "out");
  CHECK(folder.read("out") == "b\t1\n");
}

TEST_CASE("statistics, progress") {
  const Folder folder;
  const std::string file = folder.file("text", words(3 << 20)), json = folder.path("json");
  const auto run = run_dmr({"wordcount", "--progress", "--statistics", json, "-w", "2", "-m", "1M", file});
  CHECK(run.exit_code == 0);
  for (const char* part : {"\"workers\": 2", "\"pieces\": 4", "\"job\": \"wordcount\""}) {
    INFO(part);
    CHECK(folder.read("json").find(part) != std::string::npos);
  }
}

TEST_CASE("statistics and progress on standard error") {
  const auto counted = run_dmr({"run", "--map=cat", "--statistics=-"}, "a\nb\n");
  CHECK(counted.out == "a\nb\n");
  CHECK(counted.err.starts_with("{\n"));
  CHECK(counted.err.ends_with("}\n"));
  CHECK(counted.err.find("\"pairs_out\": 2") != std::string::npos);
  const auto shown = run_dmr({"run", "--map=sleep 0.3; cat", "--progress"}, "a\n");
  CHECK(shown.out == "a\n");
  CHECK(shown.err.find("\rdmr: mapped   0 %") != std::string::npos);
}

TEST_CASE("where the statistics cannot be written there is no output") {
  const Folder folder;
  const std::string file = folder.file("text", "a"), bad = "--statistics=/nonexistent/x";
  expect_failure({"wordcount", bad, file}, 1, "/nonexistent/x: opening: No such file or directory");
  expect_failure({"wordcount", bad, "-o", folder.path("out"), file}, 1, "/nonexistent/x");
  CHECK(folder.entries() == 1);
  const auto full = run_dmr_in("\"$@\" 2> /dev/full", {"wordcount", "--statistics=-", file});
  CHECK(full.exit_code == 1);
  CHECK(full.out.empty());
}

TEST_CASE("what is short needs no folder for temporary files") {
  const Folder folder;
  const std::string file = folder.file("text", "b a b\n");
  const auto run = run_dmr_in("TMPDIR=/nonexistent \"$@\"", {"wordcount", file});
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  CHECK(run.out == "a\t1\nb\t2\n");
  const std::string large = folder.file("large", std::string(5 << 20, 'x'));
  const auto failed = run_dmr_in("TMPDIR=/nonexistent \"$@\"", {"run", "--map=cat", large});
  CHECK(failed.exit_code == 1);
  CHECK(failed.out.empty());
  CHECK(failed.err == "dmr: /nonexistent: no temporary file can be made: No such file or directory\n");
}

TEST_CASE("a job comes to its end where SIGCHLD is blocked") {
  const std::string blocked = "exec timeout 60 env --block-signal=CHLD \"$@\"";
  for (const std::vector<std::string>& job : {std::vector<std::string>{"wordcount"}, {"run", "--map=cat"}}) {
    const auto run = run_dmr_in(blocked, job, "a\n");
    CHECK(run.exit_code == 0);
    CHECK(run.out.starts_with("a"));
  }
  const auto failed = run_dmr_in(blocked, {"run", "--map=kill -9 $PPID"}, "a\n");
  CHECK(failed.exit_code == 1);
  // The command may do it before its worker is back in the map from starting it.
  CHECK(failed.err.starts_with("dmr: worker 0: died of SIGKILL"));
}

TEST_CASE("what is larger than a file may be is an error, and no death by SIGXFSZ") {
  const Folder folder;
  const std::string few = "ulimit -S -f 8; exec \"$@\"", text = folder.file("text", words(1 << 20));
  const auto output = run_dmr_in(few, {"wordcount", "-o", folder.path("out"), text});
  CHECK(output.exit_code == 1);
  CHECK(output.err == "dmr: " + folder.path("out") + ": writing: File too large\n");
  const auto spilled = run_dmr_in(few, {"run", "--map=cat", "-m1", "-w1", "--skip=9", text});
  CHECK(spilled.exit_code == 1);
  CHECK(spilled.err.find("File too large\n") != std::string::npos);
  CHECK(folder.entries() == 1);
  // The commands have it as programs expect it, and SIGPIPE.
  const std::string ignored = "sed -n 's/^SigIgn:.*\\(.....\\)...$/\\1/p' /proc/$$/status";
  CHECK(run_dmr({"run", "--map=" + ignored, text}).out == "00000\n");
}

TEST_CASE("without a standard output nothing is written elsewhere") {
  const Folder folder;
  const std::string points = folder.file("points", "1 1\n2 2\n9 9\n"), of = folder.path("of");
  const std::vector<std::string> job = {"kmeans", "--means=2", "--assignments=" + of, points};
  CHECK(run_dmr(job).out.size() > 10);
  const std::string expected = folder.read("of");
  CHECK(expected.size() == 6);
  for (const char* closed : {">&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    INFO(closed);
    std::vector<std::string> shell = {"timeout", "60", "sh", "-c", std::string("\"$@\" ") + closed, "sh"};
    for (const std::string& word : dmr_command(job)) shell.push_back(word);
    folder.file("of", "old");
    const auto run = test_support::run_command(shell);
    CHECK(run.exit_code == 1);
    CHECK(run.out.empty());
    if (!std::string(closed).ends_with("2>&-")) CHECK(run.err.starts_with("dmr: standard output: "));
    CHECK(folder.read("of") == "old");
    CHECK(folder.read("points") == "1 1\n2 2\n9 9\n");
    CHECK(folder.entries() == 2);
  }
  // Where the output goes to a file nobody needs it.
  std::vector<std::string> shell = {"sh", "-c", "\"$@\" >&-", "sh"};
  for (const std::string& word : dmr_command({"wordcount", "-o", of, points})) shell.push_back(word);
  CHECK(test_support::run_command(shell).exit_code == 0);
  CHECK(folder.read("of").empty());
}

TEST_CASE("a standard input that is closed is an error for those who read it, and not an empty input") {
  const Folder folder;
  const std::string text = folder.file("text", "a\n"), closed = "exec \"$@\" <&-";
  for (const std::vector<std::string>& job : {std::vector<std::string>{"wordcount"}, {"run", "--map=cat"}}) {
    const auto run = run_dmr_in(closed, job);
    CHECK(run.exit_code == 1);
    CHECK(run.err == "dmr: standard input: reading: Bad file descriptor\n");
  }
  CHECK(run_dmr_in(closed, {"wordcount", text}).out == "a\t1\n");
  CHECK(run_dmr_in(closed, {"run", "--map=cat", "--reduce=cat", text}).out == "a\t\n");
}

TEST_CASE("the files of a job must be different ones") {
  const Folder folder;
  const std::string points = folder.file("points", "1 1\n2 2\n9 9\n"), out = folder.path("out");
  fs::create_symlink("out", folder.path("link"));
  const std::string others[] = {out, folder.path("./out"), folder.path("link")};
  for (const bool is_there : {false, true}) {
    if (is_there) folder.file("out", "old");
    for (const std::string& other : others) {
      const std::string same = "are the same file; try dmr";
      expect_failure({"wordcount", "-o", out, "--statistics", other, points}, 2, same);
      expect_failure({"kmeans", "--means=2", "-o", out, "--assignments", other, points}, 2, same);
      expect_failure({"kmeans", "--means=2", "--statistics", out, "--assignments", other, points}, 2, same);
    }
    CHECK(fs::exists(out) == is_there);
  }
  CHECK(folder.read("out") == "old");
  // Standard output may be one of them.
  std::vector<std::string> shell = {"sh", "-c", "\"$@\" > " + out, "sh"};
  for (const std::string& word : dmr_command({"kmeans", "--means=2", "--assignments", out, points})) {
    shell.push_back(word);
  }
  CHECK(test_support::run_command(shell).exit_code == 2);
  CHECK(run_dmr({"kmeans", "--means=2", "-o", "/dev/null", "--assignments=/dev/null", points}).exit_code == 0);
}

TEST_CASE("a file whose name is - is a file as others, but for the statistics") {
  const Folder folder;
  const std::string points = folder.file("points", "1 1\n2 2\n9 9\n");
  const std::string there = "cd " + folder.path() + " && exec \"$@\"";
  for (const bool is_there : {false, true}) {
    if (is_there) folder.file("-", "old");
    for (const std::vector<std::string>& files : {std::vector<std::string>{"-o-", "--assignments=-"},
                                                  {"-o-", "--statistics=./-"},
                                                  {"--assignments=-", "--statistics=./-"}}) {
      std::vector<std::string> job = {"kmeans", "--means=2", points};
      job.insert(job.end(), files.begin(), files.end());
      const auto run = run_dmr_in(there, job);
      CHECK(run.exit_code == 2);
      CHECK(run.err.find("are the same file; try dmr") != std::string::npos);
    }
    CHECK(fs::exists(folder.path("-")) == is_there);
  }
  const auto run = run_dmr_in(there, {"wordcount", "-o-", "--statistics=-", points});
  CHECK(run.exit_code == 0);
  CHECK(run.err.starts_with("{\n"));
  CHECK(folder.read("-").empty());
}

TEST_CASE("standard output is no file where none is named") {
  const Folder folder;
  const std::string points = folder.file("points", "1 1\n2 2\n9 9\n"), other = folder.path("other");
  const std::vector<std::string> job = {"kmeans",        "--means=2", "-o",  folder.path("out"),
                                        "--assignments", other,       points};
  CHECK(run_dmr_in("\"$@\" > " + other, job).exit_code == 0);
  CHECK(folder.read("other").size() == 6);
}

TEST_CASE("a message does not stand behind a progress that is shown") {
  const std::string cleared = "\r" + std::string(27, ' ') + "\r";
  const auto failed = run_dmr({"run", "--map=sleep 0.5; exit 1", "--progress"}, "a\n");
  CHECK(failed.err.find(cleared + "dmr: worker 0: the command") != std::string::npos);
  const auto left_out = run_dmr({"run", "--map=sleep 0.5; exit 1", "--progress", "--skip=1"}, "a\n");
  CHECK(left_out.err.find(cleared + "dmr: left out: worker 0: the command") != std::string::npos);
  CHECK(run_dmr({"wordcount", "--progress", "/does/not/exist"}).err ==
        "dmr: /does/not/exist: opening: No such file or directory\n");
}

namespace {

// Does a process run that was started with these words?
bool runs(const std::string& words) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line;
    std::getline(file, line);  // nothing of one that ends meanwhile: an iterator over the file would throw
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line == words + ' ') return true;
  }
  return false;
}

}  // namespace

TEST_CASE("run: what a command leaves behind ends with the job") {
  const std::string sleep = "sleep 9999" + std::to_string(getpid()), background = sleep + " >/dev/null 2>&1 & ";
  const auto run = run_dmr({"run", "--map=" + background + "cat"}, "a\n");
  CHECK(run.exit_code == 0);
  CHECK(run.out == "a\n");
  CHECK_FALSE(runs(sleep));
  CHECK(run_dmr({"run", "--map=" + background + "exit 1"}, "a\n").exit_code == 1);
  CHECK_FALSE(runs(sleep));
  CHECK(run_dmr({"run", "--map=cat", "--reduce=" + background + "cat"}, "a\n").exit_code == 0);
  CHECK_FALSE(runs(sleep));
}

TEST_CASE("wrong usage") {
  expect_failure({}, 2, "Usage: dmr JOB");
  expect_failure({"nonsense"}, 2, "dmr: there is no job 'nonsense'");
  expect_failure({"wordcount", "--nonsense"}, 2, "unknown option --nonsense; try dmr wordcount --help");
  for (const char* letters : {"-z", "-zw", "-zz"}) {
    expect_failure({"wordcount", letters}, 2, "unknown option -z; try");
    expect_failure({"wordcount", "--progress", letters}, 2, "unknown option -z; try");
    expect_failure({"wordcount", "-w", "2", letters, "3"}, 2, "unknown option -z; try");
  }
  expect_failure({"wordcount", "--progress=5"}, 2, "dmr: --progress=5: this option takes no value; try");
  expect_failure({"index", "--words=yes"}, 2, "dmr: --words=yes: this option takes no value; try");
  expect_failure({"wordcount", "--s=2"}, 2, "dmr: --s=2 may be several options; try");
  expect_failure({"wordcount", "--t", "2"}, 2, "dmr: --t may be several options; try");
  expect_failure({"wordcount", "--x=2"}, 2, "dmr: unknown option --x=2; try");
  expect_failure({"wordcount", "-", "/does/not/exist"}, 2, "-, standard input, must be the only file");
  expect_failure({"wordcount", "-w", "65"}, 2, "--workers=65: not a number from 1 to 64");
  expect_failure({"wordcount", "-w"}, 2, "-w needs a value");
  expect_failure({"wordcount", "-m", "12Q"}, 2, "--memory=12Q: not a size");
  expect_failure({"wordcount", "-m", "99999999999T"}, 2, "not a size");
  expect_failure({"wordcount", "--time-limit=-1"}, 2, "not a number of seconds");
  expect_failure({"wordcount", "--top=0"}, 2, "not a number from 1");
  for (const char* empty : {"--output=", "--statistics=", "--assignments="}) {
    expect_failure({"kmeans", empty}, 2, std::string("dmr: ") + empty + ": a file has no empty name; try");
  }
  expect_failure({"run"}, 2, "--map=COMMAND is missing");
  expect_failure({"run", "--map=cat", "--reducers=2"}, 2, "--reducers without --reduce");
  expect_failure({"wordcount", "/does/not/exist"}, 1, "/does/not/exist: opening: No such file or directory");
  expect_failure({"wordcount", "/"}, 1, "/: reading: Is a directory");
}

TEST_CASE("help and version") {
  CHECK(run_dmr({"--help"}).out.find("wordcount") != std::string::npos);
  CHECK(run_dmr({"--version"}).out.find("dmr (DLinux) ") == 0);
  for (const char* job : {"wordcount", "run"}) {
    const auto help = run_dmr({job, "--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.out.find("Usage: dmr " + std::string(job)) == 0);
    CHECK(help.out.find("Options of every job:") != std::string::npos);
    CHECK(help.out.find("Without FILE, or with -, standard input is read.") != std::string::npos);
  }
  // It takes two files, and none of them may be standard input.
  CHECK(run_dmr({"matmul", "--help"}).out.find("standard input is read") == std::string::npos);
}

TEST_CASE("what a shell has started before it becomes dmr is left alone") {
  // The pipe ends when both have ended.
  const auto run = run_dmr_in("{ (sleep 0.2; echo late) & exec \"$@\"; } | cat", {"wordcount"}, "one two\n");
  INFO(run.err);
  CHECK(run.out.find("one") != std::string::npos);
  CHECK(run.out.find("late") != std::string::npos);
}
