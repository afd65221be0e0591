// The flow that SP and BT integrate, spread over the ranks: its fields, the residual, and the norms.
#pragma once

#include <mpi.h>

#include <vector>

#include "../cfd/verification.hpp"
#include "cell_fields.hpp"
#include "halo.hpp"

namespace npb::multipartition {

class Flow {
 public:
  // Computes the forcing. `halo_comm` must outlive this object.
  Flow(const Partition& partition, double dt, Primitives primitives, MPI_Comm halo_comm);

  // Sets the solution to its initial values.
  void initialise();

  // Exchanges halos, then increment = dt * residual. Collective.
  void compute_increment();

  // Of the solution as it is. Collective over MPI_COMM_WORLD; overwrites the increment.
  cfd::Norms norms();

  const Partition& partition() const { return partition_; }
  std::vector<CellData>& cells() { return cells_; }

 private:
  Partition partition_;
  double dt_;
  Primitives primitives_;
  std::vector<CellData> cells_;
  HaloExchange halo_;
};

}  // namespace npb::multipartition
