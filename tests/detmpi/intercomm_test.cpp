// Inter-communicators.
#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;

TEST_CASE("inter-communicators") { expect_same_everywhere("intercomms", {2, 3, 7, 12}); }
TEST_CASE("inter-communicators, with large messages in every way") { mpi_test::expect_same_ways("intercomms", {4}); }
