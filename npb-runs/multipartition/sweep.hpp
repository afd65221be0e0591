// The pipeline of line solves along one direction. In stage s every rank works on its cell in slab s: elimination runs
// from slab 0 up, back substitution from the last slab down, and what a line needs to go on in the next cell travels
// with it from rank to rank.
#pragma once

#include <mpi.h>

#include <vector>

#include "line_solver.hpp"
#include "partition.hpp"

namespace npb::multipartition {

class Sweep {
 public:
  enum class Completion { kTogether, kOneByOne };  // of a stage's two requests: MPI_Waitall, or MPI_Wait twice

  // `comm` and the other objects must outlive this one.
  Sweep(const Partition& partition, std::vector<CellData>& cells, LineSolver& solver, Completion completion,
        MPI_Comm comm);

  // Solves all lines along an axis. Collective over the communicator.
  void run(Axis axis);

 private:
  CellData& cell_in(Axis axis, int slab);
  void receive(LineMessage message, int rank);
  void send(LineMessage message, int rank);

  const Partition& partition_;
  std::vector<CellData>& cells_;
  LineSolver& solver_;
  Completion completion_;
  MPI_Comm comm_;
  std::vector<double> in_, out_;
  MPI_Request sending_ = MPI_REQUEST_NULL;  // of out_
};

}  // namespace npb::multipartition
