#include "flow.hpp"

#include "../cfd/norm.hpp"

namespace npb::multipartition {
namespace {

void add(cfd::State& sums, const cfd::State& summand) {
  for (int m = 0; m < cfd::kComponents; ++m) sums[m] += summand[m];
}

}  // namespace

Flow::Flow(const Partition& partition, double dt, Primitives primitives, MPI_Comm halo_comm)
    : partition_(partition),
      dt_(dt),
      primitives_(primitives),
      cells_(make_cells(partition)),
      halo_(partition, cells_, halo_comm) {
  for (CellData& cell : cells_) set_forcing(cell, partition_.n(), primitives_);
}

void Flow::initialise() {
  for (CellData& cell : cells_) set_initial_values(cell, partition_.n());
}

void Flow::compute_increment() {
  halo_.run(cells_);
  for (CellData& cell : cells_) compute_residual(cell, partition_.n(), dt_, primitives_);
}

cfd::Norms Flow::norms() {
  cfd::State error{}, residual{};
  for (const CellData& cell : cells_) add(error, squared_error(cell, partition_.n()));
  error = cfd::root_mean_square(error, partition_.n());
  compute_increment();
  for (const CellData& cell : cells_) add(residual, squared_increment(cell));
  residual = cfd::root_mean_square(residual, partition_.n());
  for (double& value : residual) value /= dt_;
  return {.residual = residual, .error = error};
}

}  // namespace npb::multipartition
