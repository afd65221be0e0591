// What the ranks print: merged in the order of logical time, labelled, complete however the job ends.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>

#include "run_mpi.hpp"
#include "running.hpp"
#include "support/leak_check.hpp"
#include "support/sanitized.hpp"

using namespace mpi_test;
using test_support::run_command;
using test_support::run_command_same;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// In every way of starting the same, twice.
std::string printed(int ranks, const std::vector<std::string>& arguments, std::vector<std::string> options = {}) {
  std::string first;
  for (const char* start : kStarts) {
    auto with = options;
    with.push_back(start);
    const auto run = run_command_same(job(ranks, "printing", with, arguments));
    INFO(start << "\n" << run.err);
    CHECK(run.exit_code == 0);
    if (first.empty()) first = run.out;
    CHECK(run.out == first);
  }
  return first;
}

std::string ring_of(int ranks, int rounds) {
  std::string text;
  for (int i = 0; i < ranks * rounds; ++i) {
    text += std::to_string(i) + ": rank " + std::to_string(i % ranks) + "\n";
  }
  return text;
}

// Runs a command within a command line of the shell.
RunResult run_shell(const std::vector<std::string>& argv, const std::string& rest, const std::string& before = "") {
  std::string line = before;
  for (const auto& word : argv) line += "'" + word + "' ";
  return run_command({"bash", "-c", line + rest});
}

}  // namespace

TEST_CASE("lines come in the order of cause and effect") {
  CHECK(printed(2, {"ring", "50"}) == ring_of(2, 50));
  CHECK(printed(5, {"ring", "20"}) == ring_of(5, 20));
  CHECK(printed(5, {"flushed ring", "20"}) == ring_of(5, 20));
  CHECK(printed(2, {"ring of acknowledgements", "50"}) == ring_of(2, 50));
  CHECK(printed(5, {"ring of acknowledgements", "20"}) == ring_of(5, 20));
  for (const char* lookahead : {"--lookahead=1", "--lookahead=5", "--lookahead=1000"}) {
    CHECK(printed(3, {"ring", "20"}, {lookahead}) == ring_of(3, 20));
    CHECK(printed(3, {"ring of acknowledgements", "20"}, {lookahead}) == ring_of(3, 20));
  }
}

TEST_CASE("an answer comes before the line of whoever asked") {
  for (const char* lookahead : {"--lookahead=1", "--lookahead=64", "--lookahead=300"}) {
    std::set<std::string> answered;
    size_t asked = 0;
    for (const auto& line : lines_of(printed(4, {"ask", "100"}, {lookahead}))) {
      const std::string round = line.substr(0, line.find(':'));
      if (line.find("answers") != std::string::npos) answered.insert(round);
      else asked += answered.count(round);
    }
    CHECK(answered.size() > 50);
    CHECK(asked == answered.size());
  }
}

TEST_CASE("ranks that print at uneven times") {
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    for (int rank = 0; rank < 4; ++rank) {
      expected += "rank " + std::to_string(rank) + " line " + std::to_string(i) + "\n";
    }
  }
  CHECK(printed(4, {"uneven"}) == expected);
  // The comparison could have failed: without order the lines come as they are printed.
  std::set<std::string> outputs;
  for (int i = 0; i < 20 && outputs.size() < 2; ++i) {
    outputs.insert(run_command(job(4, "printing", {"--ordered-output=no"}, {"uneven"})).out);
  }
  CHECK(outputs.size() == 2);
}

TEST_CASE("standard error is merged, too") {
  std::string out, err, both, labelled;
  for (int i = 0; i < 4 * 20; ++i) {
    const std::string token = std::to_string(i) + ": ", rank = std::to_string(i % 4);
    const std::string of_out = token + "rank " + rank + "\n", of_err = token + "errors of rank " + rank + "\n";
    out += of_out;
    err += of_err;
    both += of_out + of_err;
    labelled += "[" + rank + "] " + of_out + "[" + rank + "] " + of_err;
  }
  for (const char* start : kStarts) {
    const auto argv = job(4, "printing", {start}, {"ring of both", "20"});
    const auto apart = run_command_same(argv);
    CHECK(apart.out == out);
    CHECK(apart.err == err);
    for (int i = 0; i < 2; ++i) CHECK(run_shell(argv, "2>&1").out == both);
    CHECK(run_shell(job(4, "printing", {start, "-l"}, {"ring of both", "20"}), "2>&1").out == labelled);
    CHECK(run_shell(argv, "2>&1 >/dev/null").out == err);
    // Nobody reads it, or it is closed.
    CHECK(run_shell(argv, "2>&1 >&3 | true", "exec 3>&1; ").out == out);
    CHECK(run_shell(argv, "2>&-").out == out);
  }
}

TEST_CASE("standard error of ranks that print at uneven times") {
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    for (int rank = 0; rank < 4; ++rank) {
      const std::string name = "rank " + std::to_string(rank), line = "line " + std::to_string(i) + "\n";
      expected += name + " " + line + name + ", errors of " + line;
    }
  }
  const auto argv = [](std::vector<std::string> options) { return job(4, "printing", options, {"uneven", "both"}); };
  for (const char* start : kStarts) CHECK(run_shell(argv({start}), "2>&1").out == expected);
  // The comparison could have failed.
  std::set<std::string> outputs;
  for (int i = 0; i < 20 && outputs.size() < 2; ++i) {
    outputs.insert(run_command(argv({"--ordered-output=no"})).err);
  }
  CHECK(outputs.size() == 2);
}

TEST_CASE("a line comes whole, when it is complete") {
  std::string expected, labelled;
  for (int line = 0; line < 5; ++line) {
    for (int rank = 0; rank < 3; ++rank) {
      std::string text;
      for (int piece = 0; piece < 4; ++piece) {
        text += "<" + std::to_string(rank) + "." + std::to_string(line) + "." + std::to_string(piece) + ">";
      }
      expected += text + "\n";
      labelled += "[" + std::to_string(rank) + "] " + text + "\n";
    }
  }
  CHECK(printed(3, {"pieces"}) == expected);
  CHECK(printed(3, {"pieces"}, {"-l"}) == labelled);
  CHECK(printed(3, {"pieces"}, {"--label", "--ordered-output=yes"}) == labelled);
}

TEST_CASE("labelled lines are whole without an order too") {
  for (const char* start : kStarts) {
    const auto run = run_command(job(3, "printing", {start, "-l", "--ordered-output=no"}, {"pieces"}));
    CHECK(run.exit_code == 0);
    const auto lines = lines_of(run.out);
    CHECK(lines.size() == 15);
    for (const auto& line : lines) {
      INFO(line);
      REQUIRE(line.size() == 4 + 4 * 7);
      CHECK(line.substr(0, 6) == "[" + line.substr(5, 1) + "] <" + line.substr(5, 1));
    }
  }
}

TEST_CASE("the end of an output that does not end its last line") {
  CHECK(printed(3, {"tail"}) == "line of 0\nline of 1\nline of 2\nend of 0end of 1end of 2");
  CHECK(printed(2, {"tail"}, {"-l"}) == "[0] line of 0\n[1] line of 1\n[0] end of 0\n[1] end of 1");
  CHECK(printed(1, {"tail"}) == "line of 0\nend of 0");
}

TEST_CASE("what children of a rank print is the rank's") {
  std::string expected;
  for (int i = 0; i < 3; ++i) {
    for (int rank = 0; rank < 3; ++rank) {
      const std::string number = std::to_string(i), name = std::to_string(rank);
      expected +=
          "rank " + name + " before child " + number + "\nchild " + number + " of rank " + name + "\nwith two lines\n";
    }
  }
  CHECK(printed(3, {"children"}) == expected);
}

TEST_CASE("what a user's operation prints comes after what its rank printed before the call") {
  std::string once = "rank 0 reduces\nrank 1 reduces\nrank 2 reduces\nrank 0 adds\nrank 0 adds\nthe sum is 3\n";
  CHECK(printed(3, {"callback"}) == once + once + once);
}

TEST_CASE("what stdio holds is printed when a call returns, whether that has waited or not") {
  const std::string zero(1, '\0');
  std::string steps, wide;
  for (int i = 0; i < 6; ++i) {
    const std::string line = "rank " + std::to_string(i % 2) + ", step " + std::to_string(i / 2) + "\n";
    steps += zero + line;
    wide += line;
  }
  CHECK(printed(2, {"wide"}) == wide);
  for (const char* late : {"0", "1"}) {
    CHECK(printed(2, {"past stdio", late}) == "by stdio\nby write\n");
    CHECK(printed(2, {"zeros", late}) == steps);
  }
}

TEST_CASE("output before MPI_Init and after MPI_Finalize") {
  std::string within, after;
  for (int rank = 0; rank < 4; ++rank) {
    within += "rank " + std::to_string(rank) + " within\n";
    after += "rank " + std::to_string(rank) + " after MPI_Finalize\n";
  }
  const auto fork = run_command_same(job(4, "printing", {"--start=fork"}, {"around"}));
  CHECK(fork.out == "before MPI_Init\n" + within + after);
  const auto exec = run_command_same(job(4, "printing", {"--start=exec"}, {"around"}));
  std::string each;
  for (const auto& line : lines_of(within)) each += "before MPI_Init\n" + line + "\n";
  CHECK(exec.out == each + after);
}

TEST_CASE("programs that are not MPI programs are shown rank by rank") {
  const std::vector<std::string> argv = {detmpirun(), "-n", "3",  "--start=exec",
                                         "-l",        "sh", "-c", "echo one; sleep 0.0$(($$ % 5)); echo two"};
  CHECK(run_command_same(argv).out == "[0] one\n[0] two\n[1] one\n[1] two\n[2] one\n[2] two\n");
}

TEST_CASE("a program may redirect or close its standard output") {
  CHECK(printed(3, {"redirected"}) == "rank 0 by stdout\nrank 1 by stdout\nrank 2 by stdout\nrank 0 after that\n");
}

TEST_CASE("bytes that are no text") {
  size_t bytes = 0;
  for (size_t i = 0; i < 300; ++i) bytes += i % 3 == 0 ? 4096 : 2 + i;
  const std::string out = printed(2, {"binary"});
  CHECK(out.size() == 2 * bytes);
  CHECK(std::count(out.begin(), out.end(), '\n') == 600);
  CHECK(std::count(out.begin(), out.end(), '\0') == static_cast<ptrdiff_t>(2 * bytes - 600));
}

TEST_CASE("output that others have written already is not truncated") {
  const std::vector<std::string> argv = {
      detmpirun(), "-n",
      "2",         "--start=exec",
      "-l",        "sh",
      "-c",        "echo one; (echo two >/dev/stdout) 2>/dev/null || echo refused; echo three >>/dev/stdout"};
  CHECK(run_command_same(argv).out == "[0] one\n[0] refused\n[0] three\n[1] one\n[1] refused\n[1] three\n");
}

TEST_CASE("large output") {
  constexpr int kKilobytes = 8000;
  const std::string out = printed(4, {"large", std::to_string(kKilobytes)});
  CHECK(out.size() == 4u * 1024 * kKilobytes);
  std::vector<size_t> of_rank(4);
  const auto lines = lines_of(out);
  for (const auto& line : lines) {
    const auto rank = static_cast<size_t>(line[5] - '0');
    REQUIRE(rank < 4);
    REQUIRE(line.size() == 1023);
    of_rank[rank] += 1;
  }
  CHECK(of_rank == std::vector<size_t>(4, kKilobytes));
}

TEST_CASE("however a job ends, all that was printed is shown, before the message") {
  const std::string expected = "rank 0 was here\nrank 1 was here\nrank 2 was here\nand ends";
  struct End {
    const char* how;
    int exit_code;
  };
  for (const char* start : kStarts) {
    for (const End& end : {End{"segv", 128 + SIGSEGV}, End{"abort", 7}, End{"exit", 8}, End{"kill", 128 + SIGKILL}}) {
      // It reports this signal in its own way.
      if (end.exit_code == 128 + SIGSEGV && test_support::kAddressSanitizer) continue;
      const auto argv = job(3, "printing", {start}, {"crash", end.how});
      const RunResult run = run_command(argv);
      INFO(end.how << ", " << start << "\n" << run.err);
      CHECK(run.exit_code == end.exit_code);
      CHECK(run.out == expected);
      const std::string errors = "errors of rank 0\nerrors of rank 1\nerrors of rank 2\n";
      CHECK(run.err.substr(0, errors.size()) == errors);
      if (std::string(end.how) == "abort") continue;  // tells of it itself, at once
      const RunResult both = run_shell(argv, "2>&1");
      const std::string shown = "rank 0 was here\nerrors of rank 0\nrank 1 was here\nerrors of rank 1\n";
      CHECK(both.out.substr(0, shown.size()) == shown);
      const size_t end_of_output = both.out.find("and ends");
      REQUIRE(end_of_output != std::string::npos);
      CHECK(both.out.find("rank 1", end_of_output) != std::string::npos);
    }
  }
}

TEST_CASE("ranks that wait for ever have shown what they printed when the time is up, or when they are ended") {
  const std::string expected = "rank 0 waits\nrank 1 waits\nrank 2 waits\n";
  for (const char* start : kStarts) {
    const RunResult timed = run_command(job(3, "printing", {start, "--timeout=2"}, {"stuck"}));
    CHECK(timed.exit_code == 124);
    CHECK(timed.out == expected);
    Running asked(job(3, "printing", {start}, {"stuck"}));
    REQUIRE(asked.wait_for_lines(1));
    REQUIRE(asked.wait_for_shown(3));
    asked.signal(SIGTERM);
    const RunResult ended = asked.finish();
    CHECK(ended.exit_code == 128 + SIGTERM);
    CHECK(ended.out == expected);
  }
}

TEST_CASE("the report of a deadlock comes after what was printed") {
  const std::string expected = "rank 0 waits\nrank 1 waits\nrank 2 waits\n";
  for (const char* start : kStarts) {
    const auto argv = job(3, "printing", {start}, {"deadlock"});
    const RunResult run = run_command(argv);
    INFO(run.err);
    CHECK(run.exit_code == 122);
    CHECK(run.out == expected);
    CHECK(run.err.find("SIGTERM") == std::string::npos);
    const RunResult both = run_shell(argv, "2>&1");
    CHECK(both.out.substr(0, expected.size()) == expected);
    CHECK(both.out.find("deadlock", expected.size()) != std::string::npos);
  }
}

TEST_CASE("lines that stuck ranks do not end come last, however long others go on") {
  for (const char* start : kStarts) {
    for (const char* pause_us : {"0", "20000"}) {
      const RunResult run = run_command(job(2, "printing", {start}, {"stuck in lines", pause_us}));
      INFO(pause_us << " " << run.err);
      CHECK(run.exit_code == 122);
      CHECK(run.out ==
            "rank 1: step 0\nrank 1: step 1\nrank 1: step 2\nrank 1: step 3\nrank 1: step 4\n"
            "rank 0 waitsrank 1 waits");
    }
  }
}

TEST_CASE("ranks that wait do not hold back the lines of the one that they wait for") {
  for (const char* start : kStarts) {
    Running running(job(4, "printing", {start}, {"waited for"}));
    CHECK(running.wait_for_lines(100));
    running.signal(SIGTERM);
    CHECK(running.finish().exit_code == 128 + SIGTERM);
  }
}

TEST_CASE("a reader that goes ends the job without a message") {
  for (const char* start : kStarts) {
    const auto argv = job(4, "printing", {start}, {"large", "2000"});
    const RunResult run = run_shell(argv, "| head -n 1 | cut -c 1-10; echo ${PIPESTATUS[0]}");
    CHECK(run.out == "rank 0 aaa\n141\n");
    CHECK(run.err.empty());
  }
}

TEST_CASE("a reader that takes its time gets everything") {
  for (const char* start : kStarts) {
    const auto argv = job(3, "printing", {start}, {"large", "1000"});
    CHECK(run_shell(argv, "| (sleep 0.5; wc -c)").out == "3072000\n");
  }
}

TEST_CASE("a job whose output nobody reads can be ended") {
  for (const char* start : kStarts) {
    const auto argv = job(3, "printing", {start}, {"large", "1000"});
    const RunResult run =
        run_shell(argv, ">&3 3>&- & sleep 0.5; kill -TERM $!; wait $!; echo $?; kill $reader_PID; wait; true",
                  "coproc reader { exec sleep 20; }; exec 3>&${reader[1]}; ");
    CHECK(run.out == "143\n");
  }
}

TEST_CASE("a closed standard output is no harm") {
  for (const char* start : kStarts) {
    const RunResult run = run_shell(job(3, "printing", {start}, {"ring", "5"}), ">&-");
    CHECK(run.exit_code == 0);
    CHECK(run.err.empty());
  }
}
