// Collective operations: each program compares with what a naive reference computes (programs/); here it has
// to end well and print the same bytes whenever and however it is started. 33 and 64 ranks take other ways
// than few do.
#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;

TEST_CASE("a barrier holds everybody") { expect_same_everywhere("barrier", {1, 2, 3, 8, 33}); }
TEST_CASE("broadcast") { expect_same_everywhere("bcast", {1, 2, 3, 4, 8, 16, 33}); }
TEST_CASE("gather and scatter") { expect_same_everywhere("gather_scatter", {1, 2, 3, 4, 8, 33}); }
TEST_CASE("allgather") { expect_same_everywhere("allgather", {1, 2, 3, 4, 8, 16, 33}); }
TEST_CASE("alltoall") { expect_same_everywhere("alltoall", {1, 2, 3, 8, 16, 33}); }
TEST_CASE("reductions fold in rank order, bit for bit") { expect_same_everywhere("reduce", {1, 2, 3, 8, 16}); }
TEST_CASE("operations of the program's own keep the order") { expect_same_everywhere("user_ops", {1, 2, 3, 8, 33}); }
TEST_CASE("reductions of elements with gaps around them") { expect_same_everywhere("gaps", {1, 2, 3, 5}); }
TEST_CASE("communicators keep apart") { expect_same_everywhere("comms", {1, 2, 3, 8, 16}); }
TEST_CASE("communicators give their memory back") { expect_same_everywhere("many_comms", {1, 4}); }
TEST_CASE("operations that do not block") {
  for (const std::string form : {"nonblocking", "persistent"}) {
    for (const char* name : {"allgather", "alltoall", "barrier", "bcast", "gather_scatter", "reduce", "user_ops"}) {
      expect_same_everywhere(name + ("_" + form), {1, 2, 5});
    }
  }
}
TEST_CASE("copies of communicators that nobody waits for") { expect_same_everywhere("idup", {1, 2, 3, 8}); }
TEST_CASE("neighbours exchange") { expect_same_everywhere("neighbours", {1, 2, 3, 4, 9}); }
TEST_CASE("wrong buffers are refused") { expect_same_everywhere("wrong_buffers", {1, 2, 3, 9}); }
TEST_CASE("many operations at once") { expect_same_everywhere("overlap", {1, 2, 3, 8, 16}); }
TEST_CASE("collective operations on 64 ranks") {
  for (const char* name : {"bcast", "allgather", "reduce", "user_ops"}) {
    expect_same_everywhere(name, {64});
  }
}
