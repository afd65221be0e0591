#include "norm.hpp"

#include <mpi.h>

#include <cmath>

namespace npb::cfd {

State root_mean_square(const State& squares, int n) {
  State sums{};
  MPI_Allreduce(squares.data(), sums.data(), kComponents, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double points = (n - 2.0) * (n - 2.0) * (n - 2.0);
  for (double& sum : sums) sum = std::sqrt(sum / points);
  return sums;
}

}  // namespace npb::cfd
