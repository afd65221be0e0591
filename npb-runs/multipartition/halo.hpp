// The exchange of the solution's halo: two layers of every face of a cell that has a neighbour, all cells of a rank and
// all six directions at once.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "cell_data.hpp"

namespace npb::multipartition {

class HaloExchange {
 public:
  // `comm` must outlive this object.
  HaloExchange(const Partition& partition, const std::vector<CellData>& cells, MPI_Comm comm);

  // Fills the halos of the solution. Collective over the communicator.
  void run(std::vector<CellData>& cells);

 private:
  struct Message {
    int to, from;  // ranks: where the faces go, and where those come from that travel in the same direction
    int tag;
    std::vector<double> sent, received;
  };

  MPI_Comm comm_;
  std::array<Message, 6> messages_;  // +x, -x, +y, -y, +z, -z; empty when a rank has no more than one cell
};

}  // namespace npb::multipartition
