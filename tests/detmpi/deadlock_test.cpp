// Deadlocks are found, all of them and nothing else, and explained.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run_mpi.hpp"

using namespace mpi_test;

namespace {

constexpr int kDeadlockExit = 122;

// The job's messages, the same in two runs and both ways of starting.
std::string report_of(const std::string& what, int ranks, const std::vector<std::string>& options = {}) {
  std::string first;
  for (const char* start : kStarts) {
    for (int run = 0; run < 2; ++run) {
      auto with = options;
      with.push_back(start);
      auto argv = job(ranks, "deadlock", with);
      argv.push_back(what);
      const RunResult result = test_support::run_command(argv);
      INFO(what << ", " << start << ", run " << run);
      CHECK(result.exit_code == kDeadlockExit);
      CHECK(result.out.empty());
      if (first.empty()) first = result.err;
      CHECK(result.err == first);
    }
  }
  INFO(first);
  CHECK(contains(first, "deadlock: "));
  return first;
}

void expect(const std::string& what, int ranks, const std::vector<std::string>& parts,
            const std::vector<std::string>& options = {}) {
  const std::string report = report_of(what, ranks, options);
  for (const std::string& part : parts) {
    INFO(report << "should contain: " << part);
    CHECK(contains(report, part));
  }
}

// A job that ends for another reason, told by the rank that is the first in logical time.
void expect_error(const std::string& what, int ranks, const std::string& part) {
  for (const char* start : kStarts) {
    auto argv = job(ranks, "deadlock", {start});
    argv.push_back(what);
    const RunResult result = test_support::run_command(argv);
    INFO(result.err);
    CHECK(result.exit_code == kDeadlockExit);
    CHECK(contains(result.err, part));
    CHECK(test_support::run_command(argv).err == result.err);
  }
}

std::string slurp(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a cycle of receives") {
  expect("cycle", 3,
         {"3 of 3 ranks", "waits for a message from rank 1, tag 3, on MPI_COMM_WORLD",
          "rank 0 -> rank 1 -> rank 2 -> rank 0", "MPI_Recv at "});
}
TEST_CASE("a part of the job is stuck while the rest works") {
  expect("partial", 3, {"2 of 3 ranks", "rank 0 -> rank 2"});
}
TEST_CASE("a part of the job is stuck, and is sent other messages all the time") {
  // The third one does not come so far that what it sends counts alike: how many there were depends on the time.
  for (const char* start : kStarts) {
    const RunResult run = test_support::run_command(job(3, "deadlock", {start}, {"disturbed"}));
    INFO(run.err);
    CHECK(run.exit_code == kDeadlockExit);
    CHECK(contains(run.err, "deadlock: 2 of 3 ranks"));
    CHECK(contains(run.err, "rank 0 -> rank 1 -> rank 0"));
  }
}
TEST_CASE("of other messages those are told that come by the time at which the others leave the deadlock behind") {
  std::string first;
  for (const char* start : kStarts) {
    const RunResult run = test_support::run_command(job(3, "deadlock", {start, "--lookahead=4"}, {"disturbed"}));
    INFO(run.err);
    CHECK(contains(run.err, " messages from rank 2 that no receive takes: tag 9, on MPI_COMM_WORLD\n"));
    if (first.empty()) first = run.err;
    CHECK(run.err == first);
  }
}
TEST_CASE("a rank comes to be stuck later than the others") { expect("late", 3, {"3 of 3 ranks", "rank 0 -> rank 2"}); }
TEST_CASE("a rank that never goes on still takes in messages, and acknowledges them") {
  expect("stuck_receiver", 3, {"3 of 3 ranks", "rank 2  MPI_Recv at "});
}
TEST_CASE("a message that a matched probe has taken is for no other receive") {
  expect("matched_probe", 2, {"2 of 2 ranks", "rank 0  MPI_Ssend at ", "rank 1  MPI_Recv at "});
}
TEST_CASE("a part of the job is stuck while the rest polls") { expect("polling", 3, {"2 of 3 ranks", "MPI_Finalize"}); }
TEST_CASE("an operation of the program's own that nobody completes") {
  expect("generalized", 1, {"MPI_Waitall", "a call of MPI_Grequest_complete"});
  expect("generalized", 3, {"MPI_Waitall", "a call of MPI_Grequest_complete\n"});
}
TEST_CASE("partitions that nobody says to be ready") {
  expect("partitions", 3,
         {"a call of MPI_Pready", "partitions from rank 0", "MPI_Psend_init of rank 1, tag 9, on MPI_COMM_WORLD",
          "no receive takes: that of MPI_Psend_init, tag 7, on MPI_COMM_WORLD",
          "no receive takes: a partition, on MPI_COMM_WORLD"});
}
TEST_CASE("a message with another tag") {
  expect("wrong_tag", 2, {"tag 5", "has a message from rank 1 that no receive takes: tag 6, on MPI_COMM_WORLD"});
}
TEST_CASE("messages that are alike are told together, and how many more there are") {
  expect("wrong_tags", 2,
         {"has 50 messages from rank 1 that no receive takes: tag 6, on MPI_COMM_WORLD, the first sent at ",
          "has a message from rank 1 that no receive takes: tag 13, on MPI_COMM_WORLD, sent at ",
          "          and 2 others\n"});
}
TEST_CASE("it is told where a message was sent that no receive takes, if that is not long ago") {
  const std::string lost = "has a message from rank 1 that no receive takes: tag 6, on MPI_COMM_WORLD";
  expect("lost", 3, {lost + ", sent at (anonymous namespace)::lose(int), deadlock.cpp:"});
  expect("lost_long_ago", 3, {lost + "\n"});
}
TEST_CASE("ranks of a communicator are told with those of the job where they differ") {
  expect("other_ranks", 3,
         {"waits for a message from rank 0 (rank 2 of MPI_COMM_WORLD), tag 7, on reverse\n",
          "has a message from rank 0 (rank 2 of MPI_COMM_WORLD) that no receive takes: tag 8, on reverse, sent at ",
          "has a message from rank 1 that no receive takes: tag 9, on reverse, sent at ",
          "waits for rank 2 (rank 0 of MPI_COMM_WORLD) to receive a synchronous message, tag 9, on reverse\n"});
}
TEST_CASE("a message on another communicator") {
  expect("wrong_communicator", 2, {"tag 5, on other", "no receive takes: tag 5, on MPI_COMM_WORLD"});
}
TEST_CASE("communicators made by different tags") {
  expect("group_tags", 2,
         {"waits for a message from rank 1, part of making a communicator, tag 5, on MPI_COMM_WORLD",
          "has a message from rank 1 that no receive takes: part of making a communicator, tag 6, on MPI_COMM_WORLD"});
}
TEST_CASE("a collective operation that a rank does not enter") {
  expect("collective", 4, {"waits for rank 0 of MPI_COMM_WORLD to take part in MPI_Barrier", "MPI_Recv"});
}
TEST_CASE("a collective operation that is waited for is named, not the call that waits") {
  const std::string report = report_of("ibarrier", 4);
  size_t told = 0;
  for (size_t at = 0; (at = report.find("take part in MPI_Ibarrier, on MPI_COMM_WORLD\n", at)) != std::string::npos;
       ++at) {
    ++told;
  }
  CHECK(told == 3);
  for (const char* call : {"MPI_Wait at ", "MPI_Waitall at ", "MPI_Waitany at "}) CHECK(contains(report, call));
}
TEST_CASE("a wildcard takes what another receive needs") { expect("starve", 3, {"a message from rank 1, tag 1"}); }
TEST_CASE("requests that cannot complete") { expect("requests", 2, {"MPI_Waitall", "tag 1", "tag 2"}); }
TEST_CASE("none of several requests can complete") {
  expect("any_of", 3, {"MPI_Waitany", "any of these would do", "a message from any rank, tag 2"});
}
TEST_CASE("a wait for any of many") {
  expect("any_of_many", 4, {"4 of 4 ranks", "any of these would do", "a message from rank 0, tag 12"});
}
TEST_CASE("a cycle of synchronous sends") {
  expect("synchronous", 2, {"waits for rank 1 to receive a synchronous message, tag 4", "rank 0 -> rank 1 -> rank 0"});
}
TEST_CASE("a rank left early") { expect("left_early", 3, {"a message from rank 1, tag 7", "rank 1  MPI_Finalize"}); }
TEST_CASE("a probe for what does not come") { expect("probe", 2, {"MPI_Probe", "a message from any rank, tag 8"}); }
TEST_CASE("many ranks") { expect("cycle", 40, {"40 of 40 ranks", "rank 39 -> rank 0"}); }

TEST_CASE("the report as JSON and as a drawing") {
  const std::string folder = std::filesystem::temp_directory_path() / ("deadlock." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string json = folder + "/report.json", dot = folder + "/report.dot", text = folder + "/report.txt";
  report_of("wrong_tag", 2, {"--report=" + json, "--report=" + dot, "--report=" + text});
  const auto report = nlohmann::json::parse(slurp(json));
  CHECK(report["deadlock"] == true);
  CHECK(report["ranks"] == 2);
  CHECK(report["stuck"].size() == 2);
  const auto& stuck = report["stuck"][0];
  CHECK(stuck["call"] == "MPI_Recv");
  CHECK(stuck["waits_for"][0]["from"] == nlohmann::json::array({1}));
  CHECK(stuck["waits_for"][0]["tag"] == "5");
  CHECK(stuck["unmatched"][0]["tag"] == "6");
  CHECK(stuck["unmatched"][0]["count"] == 1);
  CHECK(contains(stuck["unmatched"][0]["sent_at"].get<std::string>(), "pp:"));
  CHECK(stuck["others_unmatched"] == 0);
  CHECK(report["cycle"] == nlohmann::json::array({0, 1}));
  CHECK(contains(slurp(dot), "r0 -> r1"));
  CHECK(contains(slurp(text), "deadlock: 2 of 2 ranks"));
  report_of("foreign_name", 2, {"--report=" + json});
  CHECK(contains(nlohmann::json::parse(slurp(json))["stuck"][0]["waits_for"][0]["communicator"], "gr\xef\xbf\xbd"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("what is told of collective operations that do not match is in the report, too") {
  const std::string folder = std::filesystem::temp_directory_path() / ("mismatch." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string json = folder + "/report.json", dot = folder + "/report.dot", text = folder + "/report.txt";
  for (const char* start : kStarts) {
    auto argv = job(3, "deadlock", {start, "--report=" + json, "--report=" + dot, "--report=" + text});
    argv.push_back("mismatch");
    const std::string told = test_support::run_command(argv).err;
    const auto report = nlohmann::json::parse(slurp(json), nullptr, false);
    INFO(told << slurp(json));
    CHECK(report["deadlock"] == false);
    CHECK(report["ranks"] == 3);
    CHECK(report["stuck"].empty());
    REQUIRE(report["mismatches"].size() == 1);
    const std::string mismatch = report["mismatches"][0];
    CHECK(told == "DetMPI: " + mismatch + "; the job ends\n");
    CHECK(slurp(text) == mismatch + "\n");
    CHECK(contains(slurp(dot), "label=\"" + mismatch));
    std::filesystem::remove(json);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a file for the report that cannot be written is named") {
  expect("wrong_tag", 2, {"/nowhere/report.json: No such file or directory"}, {"--report=/nowhere/report.json"});
}

TEST_CASE("what works only because sends are buffered is named as unsafe") {
  expect("unsafe", 3, {"MPI_Send", "rank 0 -> rank 1", "the program is unsafe"}, {"--strict-sends"});
}

TEST_CASE("a deadlock in which no send waits says nothing of sends") {
  const std::string report = report_of("cycle", 3, {"--strict-sends"});
  INFO(report);
  CHECK(report == report_of("cycle", 3));
}

TEST_CASE("partitions that wait for nobody to receive them are buffered, too") {
  expect("unsafe_partitions", 3, {"MPI_Wait", "waits for rank 1 to receive partitions", "the program is unsafe"},
         {"--strict-sends"});
}

TEST_CASE("different collective operations") {
  expect_error("mismatch", 2, "mismatched collective operations on MPI_COMM_WORLD: rank 0: MPI_Barrier at ");
}

TEST_CASE("a program that was started by itself") {
  const auto run = test_support::run_command_same({program("deadlock"), "requests"});
  CHECK(run.exit_code == kDeadlockExit);
  CHECK(contains(run.err, "MPI_Waitall waits for what can never come"));
}

// Everybody else in the tests is the proof that there are no false reports.
TEST_CASE("what works only because sends are buffered is not a deadlock") {
  for (const char* what : {"unsafe", "unsafe_partitions"}) {
    CHECK(test_support::run_command_same(job(3, "deadlock", {}, {what})).exit_code == 0);
  }
}

// Where detmpirun does not find the program by the name by which the rank knows it, and where a shell would take its
// name for something else; and a long one.
TEST_CASE("lines of source of a program wherever it is") {
  namespace fs = std::filesystem;
  const fs::path top = fs::temp_directory_path() / ("places." + std::to_string(::getpid()));
  const fs::path folder = top / "it's" / std::string(230, 'l');
  fs::create_directories(folder);
  fs::copy_file(program("deadlock"), folder / "stuck");
  const std::string libraries = fs::path(detmpirun()).parent_path();
  for (const std::string& name : {std::string("stuck"), std::string("./stuck"), (folder / "stuck").string()}) {
    for (const char* what : {"cycle", "mismatch"}) {
      const auto run = test_support::run_command({"env", "PATH=" + folder.string() + ":/usr/bin:/bin",
                                                  "LD_LIBRARY_PATH=" + libraries, detmpirun(), "-n", "3", next_start(),
                                                  "-wdir", folder, name, what});
      INFO(run.err);
      CHECK(run.exit_code == kDeadlockExit);
      CHECK((contains(run.err, "deadlock.cpp:") || contains(run.err, "testing.hpp:")));
      CHECK(!contains(run.err, "+0x"));
    }
  }
  fs::remove_all(top);
}

TEST_CASE("a program in Python is told by its lines") {
  if (test_support::kAddressSanitizer) return;  // Python itself is not instrumented, and cannot load what is
  const auto folder = std::filesystem::temp_directory_path() / ("python." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string script = folder / "stuck.py";
  std::ofstream(script) << R"(import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1])
WORLD, INT = 0x44000000, 0x4c000405


def wait_for(source):
    mpi.MPI_Recv(ctypes.byref(ctypes.c_int()), 1, INT, source, 7, WORLD, ctypes.c_void_p(1))


mpi.MPI_Init(None, None)
rank = ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
wait_for(1 - rank.value)
)";
  const auto library = std::filesystem::path(detmpirun()).parent_path() / "libdetmpi.so.0";
  const auto run =
      test_support::run_command_same({detmpirun(), "-n", "2", "--timeout=100", "python3", "-B", script, library});
  INFO(run.err);
  CHECK(run.exit_code == kDeadlockExit);
  CHECK(contains(run.err, "rank 0  MPI_Recv at " + script + ":9 in wait_for, logical time "));
  CHECK(contains(run.err, "rank 1  MPI_Recv at " + script + ":9 in wait_for, logical time "));
  std::filesystem::remove_all(folder);
}
