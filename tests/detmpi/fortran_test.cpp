// Fortran programs (fortran/), one for each interface. They check themselves; here they have to end well and print the
// same bytes whenever and however they are started.
#include "run_mpi.hpp"

using mpi_test::expect_same_everywhere;

TEST_CASE("programs with mpif.h") { expect_same_everywhere("fortran/include_file", {1, 2, 3, 8}); }
TEST_CASE("programs with module mpi") { expect_same_everywhere("fortran/module_mpi", {1, 2, 3, 8}); }
TEST_CASE("programs with module mpi_f08") { expect_same_everywhere("fortran/module_f08", {1, 2, 3, 8}); }
TEST_CASE("large counts with module mpi_f08") { expect_same_everywhere("fortran/large_f08", {1, 2, 3}); }
