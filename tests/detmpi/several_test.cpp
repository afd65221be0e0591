// detmpirun: several programs in one job, their folders and variables, and what other launchers are asked for.
#include <filesystem>
#include <iterator>
#include <sstream>

#include "run_mpi.hpp"

using namespace mpi_test;
using test_support::run_command_same;

namespace {

// "several" and "without_mpi" among the words stand for the programs of these names.
std::vector<std::string> command(std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word == "several" || word == "without_mpi") word = program(word);
  }
  words.insert(words.begin(), {detmpirun(), "--timeout=100"});
  return words;
}

RunResult launch(const std::vector<std::string>& words) { return run_command_same(command(words)); }

// `program`: its number, and how many ranks it has.
std::string line(int rank, int size, const std::string& program, int token, const std::string& folder,
                 const std::string& rest) {
  return "[" + std::to_string(rank) + "] rank " + std::to_string(rank) + " of " + std::to_string(size) + ", program " +
         program + ", token " + std::to_string(token) + ", in " + folder + ", " + rest + "\n";
}

const std::vector<std::string> kThree = {"-n", "2",    "several", "a",   ":",       "-np", "1", "-wdir",
                                         "/",  "-env", "ONE",     "x y", "several", "b",   ":", "several"};

}  // namespace

TEST_CASE("several programs are one job, their ranks one behind the other") {
  const std::string here = std::filesystem::current_path();
  const RunResult run = launch(kThree);
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.out == line(0, 4, "0 of 2", 1, here, "ONE=none, ALL=none, a") +
                       line(1, 4, "0 of 2", 2, here, "ONE=none, ALL=none, a") +
                       line(2, 4, "1 of 1", 13, "/", "ONE=x y, ALL=none, b") +
                       line(3, 4, "2 of 1", 34, here, "ONE=none, ALL=none, nothing"));
}

TEST_CASE("runs of several programs are compared") {
  std::vector<std::string> words = kThree;
  words.insert(words.begin(), "--verify=4");
  const RunResult run = launch(words);
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(contains(run.err, "4 runs, 4 ranks"));
  CHECK_FALSE(contains(run.err, "fork"));
  CHECK(run.out == launch(kThree).out);
}

TEST_CASE("a program has the folder and the variables that were asked for") {
  for (const char* start : kStarts) {
    const std::string all = line(0, 1, "0 of 1", 1, "/", "ONE=1, ALL=2, nothing");
    CHECK(launch({start, "-wdir", "/", "-env", "ONE", "1", "-genv", "ALL", "2", "several"}).out == all);
    CHECK(launch({start, "-wd", "/", "-genv", "ONE", "3", "-x", "ONE=1", "-x", "ALL=2", "-x", "HOME", "several"}).out ==
          all);
    CHECK(launch({start, "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--map-by", "slot", "-genvall",
                  "--wdir", "/", "-env", "ONE", "1", "-genv", "ALL", "2", "several"})
              .out == all);
    CHECK(launch({start, "-wdir", "/", "-env", "ONE", "", "-env", "ALL", "a=b", "several"}).out ==
          line(0, 1, "0 of 1", 1, "/", "ONE=, ALL=a=b, nothing"));
  }
  CHECK(contains(launch({"-genv", "ALL", "2", "several", ":", "-env", "ALL", "3", "several"}).out,
                 "ALL=2, nothing\n[1]"));
}

TEST_CASE("options of other launchers that only say where ranks run change nothing") {
  const std::string one =
      "-ppn 2 -perhost 2 -grr 2 -membind none -npernode 2 -N 2 -pernode -bynode -byslot --npersocket 2 --rank-by slot "
      "--cpu-set 0-1 --use-hwthread-cpus --bind-to-core --bind-to-socket --bind-to-none several";
  std::istringstream text("-n 2 " + one + " : " + one);
  const RunResult run = launch({std::istream_iterator<std::string>(text), {}});
  INFO(run.err);
  CHECK(run.err.empty());
  CHECK(run.out == launch({"-n", "2", "several", ":", "several"}).out);
}

TEST_CASE("a wrong command line of several programs is explained and ends with 2") {
  const std::vector<std::vector<std::string>> wrong = {
      {"several", ":"},
      {":", "several"},
      {"several", ":", ":", "several"},
      {"several", ":", "-n", "2"},
      {"several", ":", "-n", "0", "several"},
      {"several", ":", "--digest", "several"},
      {"several", ":", "-genv", "A", "b", "several"},
      {"--start=fork", "several", ":", "several"},
      {"-n", "4000", "several", ":", "-n", "97", "several"},
      {"-wdir", "/no-such-folder", "several"},
      {"-wdir", "/dev/null", "several"},
      {"-env", "ONE"},
      {"-env", "ONE=1", "2", "several"},
      {"-env", "", "2", "several"},
      {"-x", "=1", "several"},
  };
  for (const auto& words : wrong) check_is_wrong(command(words));
}

TEST_CASE("of several programs the one that cannot be started is named") {
  const RunResult run = launch({"several", ":", "-n", "2", "./no-such-program", ":", "./nor-this-one"});
  CHECK(run.exit_code == 127);
  CHECK(run.err == "detmpirun: ./no-such-program: starting the program: No such file or directory\n");
  CHECK(run.out.empty());
}

TEST_CASE("nothing is shown of a job of which a program cannot be started") {
  for (const char* order : {"--ordered-output=yes", "--ordered-output=no --label"}) {
    std::istringstream text(order + std::string(" -n 8 without_mpi : ./no-such-program"));
    const RunResult run = launch({std::istream_iterator<std::string>(text), {}});
    CHECK(run.exit_code == 127);
    CHECK(contains(run.err, "./no-such-program"));
    CHECK(run.out.empty());
  }
}

namespace {

// Ranks that are commands of a shell, each begun by a pause in one run: 0.3 seconds of the rank `slow`.
std::vector<std::string> commands_of_ranks(const std::vector<std::string>& ranks, size_t slow) {
  std::vector<std::string> words = {"--ordered-output=yes", "--lookahead=128", "--grace=20"};
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    if (rank > 0) words.emplace_back(":");
    const std::string pause = rank == slow ? "sleep 0.3; " : "";
    words.insert(words.end(), {"sh", "-c", pause + ranks[rank], program("several"), program("without_mpi")});
  }
  return command(words);
}

// Whichever rank is slow.
void expect_end(const std::vector<std::string>& ranks, int exit_code, const std::string& out, const std::string& err) {
  for (size_t slow = 0; slow <= ranks.size(); ++slow) {
    const RunResult run = test_support::run_command(commands_of_ranks(ranks, slow));
    INFO("rank " << slow << " is slow");
    CHECK(run.exit_code == exit_code);
    CHECK(run.out == out);
    CHECK(run.err == err);
  }
}

const std::string kInMpi = "exec \"$0\"";
const std::string kWithoutMpi = "exec \"$1\"";
const std::string kNoMpi = "no MPI here\n";

// What the first rank prints in MPI, of so many.
std::string first_of(int size) {
  return line(0, size, "0 of 1", 1, std::filesystem::current_path(), "ONE=none, ALL=none, nothing");
}

}  // namespace

TEST_CASE("a rank that ends without MPI_Init while another one is in MPI ends the job") {
  const std::string told = "DLinux: rank 1 ended without calling MPI_Init; the job ends\n";
  expect_end({kInMpi, kWithoutMpi, kWithoutMpi}, 1, first_of(3) + kNoMpi + kNoMpi, told);
  expect_end({kInMpi, kWithoutMpi, "echo three; exit 3"}, 1, first_of(3) + kNoMpi + "three\n", told);
}

TEST_CASE("of ranks that fail before MPI_Init the first one is told") {
  expect_end({kInMpi, "echo three; exit 3", kWithoutMpi, "exit 4"}, 3, first_of(4) + "three\n" + kNoMpi, "");
  expect_end({"echo in part; printf of; kill -SEGV $$", kInMpi, "exit 4"}, 128 + 11, "in part\nof",
             "DLinux: rank 0 died of signal 11 (SIGSEGV: Segmentation fault); the job ends\n");
}

TEST_CASE("ranks that do not call MPI may fail") {
  expect_end({"printf a", "printf 'b\nc'; exit 5", "printf d; exit 6"}, 5, "ab\ncd", "");
  expect_end({"printf a", "printf 'b\nc'", "echo d"}, 0, "ab\ncd\n", "");
}

TEST_CASE("which rank ends first shows in a job that ends at once") {
  auto words = commands_of_ranks({kInMpi, "exit 3", "exit 4"}, 1);
  words.insert(words.begin() + 1, "--order=arrival");
  CHECK(test_support::run_command(words).exit_code == 4);
}
