// Point-to-point communication: each program checks itself (programs/); here it has to end well and print the
// same bytes whenever and however it is started.
#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;
using mpi_test::expect_same_ways;

TEST_CASE("every send mode delivers") { expect_same_everywhere("modes", {1, 2, 5}); }
TEST_CASE("messages of all sizes arrive, also when all send first") { expect_same_everywhere("sizes", {1, 2, 5}); }
TEST_CASE("100 MiB go there and back") { expect_same_everywhere("large", {2}); }
TEST_CASE("messages keep their order") { expect_same_everywhere("order", {1, 2, 3, 4, 8, 16}); }
TEST_CASE("floods of messages that nobody asked for are taken") { expect_same_everywhere("flood", {1, 2, 4, 8}); }
TEST_CASE("a cancelled receive leaves no trace in any buffer") { expect_same_everywhere("cancels", {1, 2, 3, 4}); }
TEST_CASE("a message that is too long is an error") { expect_same_everywhere("truncate", {1, 2, 4}); }
TEST_CASE("nobody and oneself as a peer") { expect_same_everywhere("null_self", {1, 2, 4}); }
TEST_CASE("send and receive at once") { expect_same_everywhere("sendrecv", {1, 2, 3, 8}); }
TEST_CASE("a send and a receive as one request") { expect_same_everywhere("isendrecv", {1, 2, 3, 8}); }
TEST_CASE("a send and a receive as one request, the send synchronous") {
  for (const int ranks : {1, 2, 5}) {
    const auto run = test_support::run_command_same(mpi_test::job(ranks, "isendrecv", {"--strict-sends"}));
    INFO(run.err);
    CHECK(run.exit_code == 0);
  }
}
TEST_CASE("probes") { expect_same_everywhere("probe", {1, 2, 3, 8, 16}); }
TEST_CASE("requests complete in every form") { expect_same_everywhere("completion", {1, 2, 3, 8, 16}); }
TEST_CASE("persistent requests") { expect_same_everywhere("persistent", {1, 2, 3, 8}); }
TEST_CASE("sends and receives in partitions") { expect_same_everywhere("partitioned", {1, 2, 3, 8}); }
TEST_CASE("which handle a request gets depends on the calls alone") {
  expect_same_everywhere("request_handles", {1, 2, 5});
}
TEST_CASE("generalized requests") { expect_same_everywhere("generalized", {1, 2, 5}); }
TEST_CASE("derived datatypes travel") { expect_same_everywhere("types", {1, 2, 3, 8}); }
TEST_CASE("parts of arrays travel") { expect_same_everywhere("arrays", {1, 2, 3, 8}); }
TEST_CASE("pending sends go on inside other calls") { expect_same_everywhere("progress", {1, 2, 4}); }
TEST_CASE("a rank whose sends found no room tells how far it has come when they do") {
  expect_same_everywhere("full_lane", {3, 5});
}
TEST_CASE("when a synchronous send that found no room is complete does not depend on when it found some") {
  expect_same_everywhere("late_ack", {3});
}
TEST_CASE("receives behind one that prefers its usual source") { expect_same_everywhere("habits", {1, 2, 3, 8}); }
TEST_CASE("messages from buffer to buffer") { expect_same_everywhere("direct", {2, 3, 8}); }
TEST_CASE("every way for a large message gives the same") {
  for (const char* name :
       {"direct", "sizes", "modes", "order", "flood", "truncate", "probe", "completion", "persistent", "types",
        "progress", "sendrecv", "isendrecv", "partitioned", "allgather", "alltoall", "reduce"}) {
    expect_same_ways(name, {2, 5});
  }
}
TEST_CASE("what programs check of themselves holds in the order of arrival") {
  for (const char* name : {"completion", "direct", "flood", "habits", "modes", "null_self", "order", "persistent",
                           "probe", "progress", "sendrecv", "sizes", "truncate", "types"}) {
    for (const int ranks : {2, 5}) {
      const auto run = test_support::run_command(mpi_test::job(ranks, name, {"--order=arrival"}));
      INFO(name << " on " << ranks << " ranks\n" << run.err);
      CHECK(run.exit_code == 0);
    }
  }
}
TEST_CASE("a kernel that lets no process into another one's memory") {
  const auto allowed =
      test_support::run_command_same(mpi_test::job(3, "denied", {"--direct-from=1", "--digest"}, {"no"}));
  const auto denied =
      test_support::run_command_same(mpi_test::job(3, "denied", {"--direct-from=1", "--digest"}, {"yes"}));
  INFO(allowed.err << denied.err);
  CHECK(allowed.exit_code == 0);
  CHECK(denied.exit_code == 0);
  CHECK(!denied.out.empty());
  CHECK(denied.out == allowed.out);
  CHECK(denied.err == allowed.err);
}
