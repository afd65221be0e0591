// Collective operations that do not match are recognised, and told with both sides: the same words in every run,
// whoever finds out first.
#include "run_mpi.hpp"

#include <algorithm>

using namespace mpi_test;

namespace {

constexpr int kMismatchExit = 122;

// The line about it. The rest of a report of a deadlock depends on how far ranks that are not part of it have come.
std::string told_line(const std::string& text) {
  const size_t begin = std::min(text.find("mismatched"), text.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

struct Mismatch {
  const char* name;
  const char* rank0;
  const char* last;  // what rank 2 of 3 does
};

// Rank 0 and its call, and the rank that differs.
constexpr Mismatch kOnTheBoard[] = {
    {"call", "MPI_Allreduce(MPI_SUM, int32, 4 bytes)", "MPI_Barrier"},
    {"bcast_root", "MPI_Bcast(root 0, 4 bytes)", "MPI_Bcast(root 2, 4 bytes)"},
    {"bcast_long", "MPI_Bcast(root 0, 12 bytes)", "MPI_Bcast(root 0, 20 bytes)"},
    {"bcast_short", "MPI_Bcast(root 0, 12 bytes)", "MPI_Bcast(root 0, 8 bytes)"},
    {"bcast_exposed", "MPI_Bcast(root 0, 40000000 bytes)", "MPI_Bcast(root 0, 20000000 bytes)"},
    {"bcast_exposed_or_not", "MPI_Bcast(root 0, 4000000 bytes)", "MPI_Bcast(root 0, 12 bytes)"},
    {"allreduce_op", "MPI_Allreduce(MPI_SUM, int32, 4 bytes)", "MPI_Allreduce(MPI_MAX, int32, 4 bytes)"},
    {"allreduce_type", "MPI_Allreduce(MPI_SUM, int32, 4 bytes)", "MPI_Allreduce(MPI_SUM, float32, 4 bytes)"},
    {"allreduce_count", "MPI_Allreduce(MPI_SUM, int32, 4 bytes)", "MPI_Allreduce(MPI_SUM, int32, 16 bytes)"},
    {"allreduce_long", "MPI_Allreduce(MPI_SUM, int32, 3600 bytes)", "MPI_Allreduce(MPI_SUM, int32, 4000 bytes)"},
    {"allreduce_nothing", "MPI_Allreduce(MPI_SUM, int32, 4 bytes)", "MPI_Allreduce(MPI_SUM, int32, 0 bytes)"},
    {"reduce_root", "MPI_Reduce(root 0, MPI_SUM, int32, 4 bytes)", "MPI_Reduce(root 2, MPI_SUM, int32, 4 bytes)"},
    {"scan_count", "MPI_Scan(MPI_SUM, int32, 8 bytes)", "MPI_Scan(MPI_SUM, int32, 4 bytes)"},
    {"allgather_count", "MPI_Allgather(4 bytes)", "MPI_Allgather(8 bytes)"},
    {"alltoall_count", "MPI_Alltoall(4 bytes)", "MPI_Alltoall(8 bytes)"},
    {"alltoall_long", "MPI_Alltoall(36000 bytes)", "MPI_Alltoall(40000 bytes)"},
    {"allgatherv_counts", "MPI_Allgatherv", "MPI_Allgatherv"},
    {"reduce_scatter_counts", "MPI_Reduce_scatter(MPI_SUM, int32)", "MPI_Reduce_scatter(MPI_SUM, int32)"},
    {"bcast_never_read", "MPI_Bcast(root 0, 4 bytes)", "MPI_Bcast(root 2, 4 bytes)"},
    {"split", "MPI_Comm_split", "MPI_Comm_dup"},
};
// Where each receiver finds by itself that the length is another one.
constexpr Mismatch kTakenAlone[] = {
    {"gather_root", "MPI_Gather(root 0, 4 bytes)", "MPI_Gather(root 2, 4 bytes)"},
    {"gather_long", "MPI_Gather(root 0, 4 bytes)", "MPI_Gather(root 0, 8 bytes)"},
    {"gather_short", "MPI_Gather(root 0, 8 bytes)", "MPI_Gather(root 0, 4 bytes)"},
    {"gather_of_messages", "MPI_Gather(root 0, 1000 bytes)", "MPI_Gather(root 0, 2000 bytes)"},
    {"gather_round_or_messages", "MPI_Gather(root 0, 4 bytes)", "MPI_Gather(root 0, 2000 bytes)"},
    {"scatter_long", "MPI_Scatter(root 0, 4 bytes)", "MPI_Scatter(root 0, 8 bytes)"},
    {"scatter_short", "MPI_Scatter(root 0, 80 bytes)", "MPI_Scatter(root 0, 4 bytes)"},
    {"scatter_round_or_messages", "MPI_Scatter(root 0, 4 bytes)", "MPI_Scatter(root 0, 8000 bytes)"},
    {"gather_pieces", "MPI_Gather(root 0, 36000 bytes)", "MPI_Gather(root 0, 40000 bytes)"},
    {"gather_fewer_pieces", "MPI_Gather(root 0, 36000 bytes)", "MPI_Gather(root 0, 20000 bytes)"},
    {"gather_pieces_or_messages", "MPI_Gather(root 0, 36000 bytes)", "MPI_Gather(root 0, 2000 bytes)"},
    {"gather_exposed", "MPI_Gather(root 0, 80000 bytes)", "MPI_Gather(root 0, 100000 bytes)"},
    {"gather_exposed_or_messages", "MPI_Gather(root 0, 80000 bytes)", "MPI_Gather(root 0, 2000 bytes)"},
    {"scatter_exposed", "MPI_Scatter(root 0, 36000 bytes)", "MPI_Scatter(root 0, 40000 bytes)"},
    {"scatter_messages_or_exposed", "MPI_Scatter(root 0, 20000 bytes)", "MPI_Scatter(root 0, 36000 bytes)"},
    {"gather_or_scatter", "MPI_Gather(root 0, 4 bytes)", "MPI_Scatter(root 0, 4 bytes)"},
    {"ibcast_root", "MPI_Ibcast(root 0, 4 bytes)", "MPI_Ibcast(root 2, 4 bytes)"},
    {"iallreduce_op", "MPI_Iallreduce(MPI_SUM, int32, 4 bytes)", "MPI_Iallreduce(MPI_MAX, int32, 4 bytes)"},
    {"iallreduce_long", "MPI_Iallreduce(MPI_SUM, int32, 4 bytes)", "MPI_Iallreduce(MPI_SUM, int32, 8 bytes)"},
    {"persistent_root", "MPI_Bcast_init(root 0, 4 bytes)", "MPI_Bcast_init(root 2, 4 bytes)"},
    {"blocking_or_not", "MPI_Ibarrier", "MPI_Barrier"},
    {"ibcast_many", "MPI_Ibcast(root 0, 4 bytes)", "MPI_Ibcast(root 2, 4 bytes)"},
};

constexpr Mismatch kBetweenGroups[] = {
    {"inter_call", "MPI_Allreduce(MPI_SUM, int32, 4 bytes)", "MPI_Barrier"},
    {"inter_op", "MPI_Allreduce(MPI_SUM, int32, 4 bytes)", "MPI_Allreduce(MPI_MAX, int32, 4 bytes)"},
    {"inter_root", "MPI_Bcast(root MPI_ROOT, 4 bytes)", "MPI_Bcast(root 1, 4 bytes)"},
    {"inter_long", "MPI_Bcast(root MPI_ROOT, 12 bytes)", "MPI_Bcast(root 0, 8 bytes)"},
};

RunResult run(const char* start, const std::string& name, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{name};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return test_support::run_command(job(3, "mismatch", {start}, arguments));
}

void expect_told(const Mismatch& m) {
  std::string first;
  for (const char* start : kStarts) {
    const RunResult result = run(start, m.name);
    INFO(m.name << ", " << start << "\n" << result.err);
    CHECK(result.exit_code == kMismatchExit);
    CHECK(contains(result.err, "mismatched collective operations on MPI_COMM_WORLD: rank "));
    CHECK(contains(result.err, std::string(": rank 0: ") + m.rank0 + " at "));
    CHECK(contains(result.err, std::string("; rank 2: ") + m.last + " at "));
    if (first.empty()) first = told_line(result.err);
    CHECK(told_line(result.err) == first);
  }
}

// Everybody goes on.
void expect_returned(const std::string& name, const std::vector<std::string>& parts) {
  std::string first;
  for (const char* start : kStarts) {
    const RunResult result = run(start, name, {"return"});
    INFO(name << ", " << start << "\n" << result.out << result.err);
    CHECK(result.exit_code == 0);
    for (const std::string& part : parts) CHECK(contains(result.out, part));
    if (first.empty()) first = result.out;
    CHECK(result.out == first);
  }
}

}  // namespace

TEST_CASE("operations that wait for each other") {
  for (const Mismatch& m : kOnTheBoard) expect_told(m);
}
TEST_CASE("where both sides read the same, it is told what differs") {
  for (const char* name : {"allgatherv_counts", "reduce_scatter_counts"}) {
    const RunResult result = run(kStarts[0], name);
    INFO(name << "\n" << result.err);
    CHECK(contains(told_line(result.err), ": the counts of the members differ; the job ends"));
  }
  CHECK(!contains(run(kStarts[0], "bcast_root").err, "the counts"));
}
TEST_CASE("operations whose receivers find the difference") {
  for (const Mismatch& m : kTakenAlone) expect_told(m);
}
TEST_CASE("a member that has begun many operations since") {
  std::string first;
  for (const char* start : kStarts) {
    const RunResult result = run(start, "gather_ahead");
    INFO(start << "\n" << result.err);
    CHECK(result.exit_code == kMismatchExit);
    CHECK(contains(result.err, "rank 1: MPI_Gather(root 0, 4 bytes) at "));  // rank 0 comes last
    CHECK(contains(result.err, "; rank 2: MPI_Gather(root 1, 4 bytes) at "));
    if (first.empty()) first = told_line(result.err);
    CHECK(told_line(result.err) == first);
  }
}
TEST_CASE("operations between two groups") {
  for (const Mismatch& m : kBetweenGroups) {
    std::string first;
    for (const char* start : kStarts) {
      const RunResult result = run(start, m.name);
      INFO(m.name << ", " << start << "\n" << result.err);
      CHECK(result.exit_code == kMismatchExit);
      CHECK(contains(result.err, "mismatched collective operations on an inter-communicator of 2 and 1 ranks"));
      CHECK(contains(result.err, std::string(": rank 0 of MPI_COMM_WORLD: ") + m.rank0 + " at "));
      CHECK(contains(result.err, std::string("; rank 2 of MPI_COMM_WORLD: ") + m.last + " at "));
      if (first.empty()) first = told_line(result.err);
      CHECK(told_line(result.err) == first);
    }
  }
}
// At the end of the job.
TEST_CASE("operations that nobody waits for, on communicators that are not used any more") {
  struct Case {
    const char *name, *told;
  };
  constexpr Case kUnnoticed[] = {
      {"freed", "on a communicator of 3 ranks: rank 0: MPI_Bcast(root 0, 4 bytes) at "},
      {"kept", "on a communicator of 3 ranks: rank 0: MPI_Bcast(root 0, 4 bytes) at "},
      {"many_later", "on a communicator of 3 ranks: rank 0: MPI_Bcast(root 0, 4 bytes) at "},
      {"two", "on the first: rank 0: MPI_Bcast(root 0, 4 bytes) at "},
      {"left_out", "on a communicator of 3 ranks: rank 0: nothing; rank 2: MPI_Bcast(root 2, 4 bytes) at "},
      {"request", "on a communicator of 3 ranks: rank 0: nothing; rank 2: MPI_Ibcast(root 2, 4 bytes) at "},
      {"between_groups",
       "on an inter-communicator of 1 and 2 ranks: rank 0 of MPI_COMM_WORLD: MPI_Bcast(root MPI_ROOT, 4 bytes) at "},
  };
  for (const Case& c : kUnnoticed) {
    std::string first;
    for (const char* start : kStarts) {
      const auto runs = test_support::run_command_twice(job(3, "unnoticed", {start}, {c.name}));
      INFO(c.name << ", " << start << "\n" << runs.first.err);
      CHECK(runs.first.exit_code == kMismatchExit);
      CHECK(contains(runs.first.err, std::string("mismatched collective operations ") + c.told));
      CHECK(runs.first.err == runs.second.err);
      CHECK(runs.first == runs.second);
      if (first.empty()) first = runs.first.err;
      CHECK(runs.first.err == first);
    }
  }
  const std::string returned = "mismatched collective operations on a communicator of 3 ranks: rank 0: ";
  const std::pair<const char*, std::string> others[] = {{"returned", "0 handled; " + returned},
                                                        {"handled", "1 handled; " + returned},
                                                        {"told_before", "0 handled; well"},
                                                        {"in_order", "0 handled; well"}};
  for (const auto& [name, told] : others) {
    const auto [result, again] = test_support::run_command_twice(job(3, "unnoticed", {}, {name}));
    INFO(name << "\n" << result.err << result.out);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    CHECK(contains(result.out, "rank 0: " + told));  // the member that looks; the others end well
    CHECK(contains(result.out, "rank 1: 0 handled; well\nrank 2: 0 handled; well\n"));
    CHECK(result == again);
  }
}
TEST_CASE("neighbours that send too much") {
  const RunResult result = run(kStarts[0], "neighbours");
  INFO(result.err);
  CHECK(result.exit_code == 14);  // MPI_ERR_TRUNCATE
  CHECK(contains(result.err, "rank 2 has sent 8 bytes where 4 are expected; rank "));
}

TEST_CASE("an error handler is told the class") {
  expect_returned("call", {"rank 0: class 15: mismatched", "rank 1: class 15: ", "rank 2: class 15: "});
  expect_returned("bcast_long", {"rank 0: class 0", "rank 1: class 0", "rank 2: class 2: mismatched"});
  expect_returned("bcast_short", {"rank 0: class 0", "rank 2: class 14: mismatched"});
  expect_returned("allreduce_op", {"rank 0: class 9: ", "rank 1: class 9: ", "rank 2: class 9: "});
  expect_returned("allreduce_type", {"rank 0: class 3: ", "rank 2: class 3: "});
  expect_returned("alltoall_long", {"rank 0: class 14: ", "rank 1: class 14: ", "rank 2: class 2: "});
  expect_returned("allreduce_count", {"rank 0: class 2: ", "rank 2: class 2: "});
  expect_returned("allgather_uneven",
                  {"rank 0: class 2: ", "rank 2: class 2: mismatched collective operations on ",
                   ": rank 2: MPI_Allgather(4 bytes, ", ": it sends 4 bytes to each rank, and receives 40 from each"});
  expect_returned("alltoall_uneven", {"rank 2: class 14: ", ": it sends 8 bytes to each rank, and receives 4 from "});
  expect_returned("alltoall_uneven_long", {"rank 2: class 2: ", ": it sends 32000 bytes to each rank, and "});
}

// Only two members know their lengths. Of a pair they are told in a round, short ones and long ones.
TEST_CASE("parts of all-to-all that have not the length that is expected") {
  expect_returned("alltoallv_long", {"rank 0: class 14: rank 2 has sent 8 bytes where 4 ",
                                     "rank 1: class 14: rank 2 has sent ", "rank 2: class 14: a rank's block of "});
  expect_returned("alltoallv_short", {"rank 0: class 2: rank 2 has sent 4 bytes where 8 ",
                                      "rank 1: class 2: rank 2 has sent 4 bytes", "rank 2: class 0"});
  expect_returned("alltoallv_long_pair", {"rank 0: class 0", "rank 1: class 14: rank 1 has sent 8 bytes where 4 ",
                                          "; rank 1: MPI_Alltoallv at ", "rank 2: class 14: a rank's block of "});
  expect_returned("alltoallv_longer_pair", {"rank 1: class 14: rank 1 has sent 38000 bytes where 20000 ",
                                            "; rank 1: MPI_Alltoallv at ", "rank 2: class 14: a rank's block of "});
  expect_returned("alltoallv_longish_pair", {"rank 1: class 14: rank 1 has sent 10000 bytes where 6000 ",
                                             "; rank 1: MPI_Alltoallv at ", "rank 2: class 14: a rank's block of "});
  expect_returned("alltoallv_shorter_pair", {"rank 1: class 2: rank 1 has sent 4 bytes where 38000 ",
                                             "; rank 1: MPI_Alltoallv at ", "rank 2: class 0"});
}
TEST_CASE("a group that is to be connected to another one is not ready for it") {
  expect_returned("connect",
                  {"rank 0: class 15: mismatched collective operations in the group of remote_leader",
                   "rank 1: class 15: mismatched collective operations on a communicator of 2 ranks: rank 0: ",
                   "rank 2: class 15: mismatched collective operations on a communicator of 2 ranks: rank 0: "});
}
TEST_CASE("an exchange of a pair, and something else") {
  const RunResult result = run(kStarts[0], "alltoallv_or_barrier");
  INFO(result.err);
  CHECK(result.exit_code == kMismatchExit);
  CHECK(contains(result.err, " 2 ranks: rank 0: MPI_Alltoallv at "));
  CHECK(contains(result.err, "; rank 1: MPI_Barrier at "));
}

namespace {

// The same output and digest in two runs, and in both ways of starting.
void expect_same(const std::string& program, int ranks, const std::vector<std::string>& arguments) {
  if (test_support::kAddressSanitizer) {  // one run
    const char* const start = mpi_test::next_start();
    const auto run = test_support::run_command(job(ranks, program, {start, "--digest"}, arguments));
    INFO(program << " " << arguments.front() << ", " << ranks << " ranks, " << start << "\n" << run.err);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.err, "digest"));
    return;
  }
  RunResult first;
  for (const char* start : kStarts) {
    const auto runs = test_support::run_command_twice(job(ranks, program, {start, "--digest"}, arguments));
    INFO(program << " " << arguments.front() << ", " << ranks << " ranks, " << start << "\n" << runs.first.err);
    CHECK(runs.first.exit_code == 0);
    CHECK(contains(runs.first.err, "digest"));
    CHECK(runs.first == runs.second);
    CHECK(runs.first.err == runs.second.err);
    if (first.out.empty()) first = runs.first;
    CHECK(runs.first.out == first.out);
    CHECK(runs.first.err == first.err);
  }
}

constexpr const char* kKinds[] = {"call",   "root",  "op",     "count",       "message",     "scan",
                                  "length", "start", "making", "late gather", "late pieces", "late scatter"};
constexpr const char* kComms[] = {"intra", "world", "inter"};

}  // namespace

TEST_CASE("whoever was told takes part in nothing more, and the others are told when they need it") {
  for (const char* comm : kComms) {
    for (const char* name : kKinds) {
      INFO(comm);
      for (const int ranks : {2, 3, 4}) expect_same("after_mismatch", ranks, {name, comm});
    }
  }
}

// Those who have not been told yet find out in another operation each time.
TEST_CASE("the others are told whatever they do next") {
  for (const char* comm : {"intra", "inter"}) {
    for (int turn = 1; turn < 24; ++turn) {
      INFO(comm << ", turned by " << turn);
      expect_same("after_mismatch", 4, {"message", comm, std::to_string(turn)});
    }
  }
}

// Of several requests: which comes first is a matter of logical time.
TEST_CASE("requests that cannot be completed, among others") {
  for (const char* name : {"alone", "among_messages", "begun_late", "learned_later", "persistent", "together", "race",
                           "polling", "disconnect"}) {
    for (const int ranks : {3, 5}) expect_same("requests_after_mismatch", ranks, {name});
  }
}

// With little lookahead there is a test at each time, also at the very one at which a rank takes part in nothing more.
TEST_CASE("tests of requests that cannot be completed, disturbed") {
  const RunResult run =
      test_support::run_command(job(3, "requests_after_mismatch", {"--verify=20", "--lookahead=2"}, {"polling"}));
  INFO(run.err);
  CHECK(run.exit_code == 0);
}

TEST_CASE("requests that cannot be completed: what is told") {
  const auto out_of = [](const std::string& name, const std::vector<std::string>& options) {
    const RunResult run = test_support::run_command(job(3, "requests_after_mismatch", options, {name}));
    INFO(run.err);
    CHECK(run.exit_code == 0);
    return run.out;
  };
  for (const char* option : {"--lookahead=128", "--lookahead=1", "--seed=7", "--order=arrival"}) {
    INFO(option);
    const std::string alone = out_of("alone", {option});
    for (const char* call : {"waitany", "testany", "waitsome", "testsome"})
      CHECK(contains(alone, std::string("[0] ") + call + ": request 0, class 15\n"));
    const std::string together = out_of("together", {option});
    CHECK(contains(together, "[0] all: request 0, class 15\n[0] all: request 1, class 0\n"));
    for (const char* name : {"among_messages", "begun_late", "persistent", "race", "disconnect"})
      CHECK(contains(out_of(name, {option}), "class 15\n"));
    CHECK(contains(out_of("learned_later", {option}), "[1] ibarrier: class 0\n[1] waitany: request 0, class 7\n"));
  }
  // The message that comes early is told first, then the operation, then the message that comes late.
  const std::string among = out_of("among_messages", {});
  CHECK(contains(among,
                 "[0] waitany: request 3, class 0\n[0] waitany: request 1, class 15\n"
                 "[0] waitany: request 0, class 0\n[0] waitany: request 2, class 0\n"));
  const std::string race = out_of("race", {});
  for (const char* first : {"0", "1"}) CHECK(contains(race, std::string("[0] waitany: request ") + first));
}

TEST_CASE("a deadlock is one, although there was a difference elsewhere") {
  for (const char* start : kStarts) {
    const RunResult run = test_support::run_command(job(3, "requests_after_mismatch", {start}, {"stuck"}));
    INFO(run.err);
    CHECK(run.exit_code == kMismatchExit);
    CHECK(contains(run.err, "deadlock: 3 of 3 ranks"));
    CHECK(!contains(run.err, "mismatched"));
  }
}

TEST_CASE("nothing is compared where nothing is checked") {
  test_support::RunResult result;
  ::setenv("DETMPI_CHECKS", "0", 1);
  result = run(kStarts[0], "allreduce_op", {"unchecked"});
  ::unsetenv("DETMPI_CHECKS");
  INFO(result.err);
  CHECK(result.exit_code == 0);
}
TEST_CASE("where nothing is checked a job that is stuck says so") {
  ::setenv("DETMPI_CHECKS", "0", 1);
  const auto expect_an_end = [](const Mismatch& m) {
    const RunResult result = run(kStarts[0], m.name);
    INFO(m.name << "\n" << result.err);
    CHECK(result.exit_code != 124);  // its time was up
    CHECK((result.exit_code != kMismatchExit || contains(result.err, "deadlock: ")));
  };
  std::ranges::for_each(kOnTheBoard, expect_an_end);
  std::ranges::for_each(kTakenAlone, expect_an_end);
  std::ranges::for_each(kBetweenGroups, expect_an_end);
  ::unsetenv("DETMPI_CHECKS");
}
