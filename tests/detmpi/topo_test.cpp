// Process topologies.
#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;

TEST_CASE("the most even factors") { expect_same_everywhere("dims", {1}); }
TEST_CASE("grids") { expect_same_everywhere("grids", {2, 3, 7, 12}); }
TEST_CASE("graphs") { expect_same_everywhere("graphs", {1, 2, 3, 7, 12}); }
