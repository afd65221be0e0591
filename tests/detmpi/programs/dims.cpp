// MPI_Dims_create: the most even factors, in falling order, beside those that are given.
#include "testing.hpp"

using namespace mpi_test;

namespace {

void expect_dims(int nodes, std::vector<int> dims, const std::vector<int>& expected) {
  MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data());
  EXPECT(dims == expected);
}

void even() {
  expect_dims(6, {0, 0}, {3, 2});
  expect_dims(7, {0, 0}, {7, 1});
  expect_dims(16, {0, 0}, {4, 4});
  expect_dims(16, {0, 0, 0}, {4, 2, 2});
  expect_dims(1, {0, 0, 0}, {1, 1, 1});
  expect_dims(72, {0, 0, 0}, {6, 4, 3});
  // Where taking the best factor first goes wrong.
  expect_dims(1440, {0, 0, 0}, {12, 12, 10});
  // The same difference between first and last: the last are as large as they can be.
  expect_dims(5040, {0, 0, 0}, {21, 16, 15});
  expect_dims(5616, {0, 0, 0, 0}, {13, 9, 8, 6});
  // Large numbers must not take long: many divisors, a prime, a square of one.
  expect_dims(1000000000, {0, 0, 0}, {1000, 1000, 1000});
  expect_dims(2147483647, {0, 0}, {2147483647, 1});
  expect_dims(2147395600, {0, 0}, {46340, 46340});
  expect_dims(735134400, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {17, 13, 11, 8, 7, 6, 6, 6, 5, 5});
}

void given() {
  expect_dims(6, {0, 3, 0}, {2, 3, 1});
  expect_dims(24, {2, 0, 0}, {2, 4, 3});
  expect_dims(6, {2, 3}, {2, 3});
  MPI_Dims_create(1, 0, nullptr);
}

void refused() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const auto refuses = [](int nodes, std::vector<int> dims) {
    const std::vector<int> before = dims;
    const int code = MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data());
    return error_class(code) == MPI_ERR_DIMS && dims == before;
  };
  EXPECT(refuses(6, {0, 4}));
  EXPECT(refuses(6, {2, 2}));
  EXPECT(refuses(6, {-2, 0}));
  EXPECT(refuses(0, {0}));
  EXPECT(refuses(2, {}));
  EXPECT(error_class(MPI_Dims_create(4, -1, nullptr)) == MPI_ERR_DIMS);
  EXPECT(error_class(MPI_Dims_create(4, 1, nullptr)) == MPI_ERR_ARG);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  even();
  given();
  refused();
  if (g_rank == 0) std::puts("factors");
}
