// The chapters of MPI around messages and collective operations: each program checks itself (programs/); here it has to
// end well and print the same bytes whenever and however it is started.
#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;

TEST_CASE("chapters that are not supported say so") { expect_same_everywhere("unsupported", {1, 3}); }
TEST_CASE("disconnecting waits") { expect_same_everywhere("disconnect", {1, 2, 5}); }
TEST_CASE("the tools interface") { expect_same_everywhere("tools", {1, 2, 5}); }
