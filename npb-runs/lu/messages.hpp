// Messages between neighbours in the grid of processes. The tag says from which side the receiver gets a message.
#pragma once

#include <mpi.h>

#include "process_grid.hpp"

namespace npb::lu {

class Messages {
 public:
  // With `wildcard`, receives take MPI_ANY_SOURCE. The result is the same: a rank has one neighbour on a side, and
  // only this one sends it messages with the side's tag.
  Messages(const ProcessGrid& grid, bool wildcard) : grid_(grid), wildcard_(wildcard) {}

  const ProcessGrid& grid() const { return grid_; }

  // All three: there must be a neighbour on that side.
  void send(Side to, const double* data, int count) const {
    MPI_Send(data, count, MPI_DOUBLE, grid_.neighbour(to), tag_from(opposite(to)), MPI_COMM_WORLD);
  }
  void receive(Side from, double* data, int count) const {
    MPI_Recv(data, count, MPI_DOUBLE, source(from), tag_from(from), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Request start_receive(Side from, double* data, int count) const {
    MPI_Request request;
    MPI_Irecv(data, count, MPI_DOUBLE, source(from), tag_from(from), MPI_COMM_WORLD, &request);
    return request;
  }

 private:
  static constexpr int tag_from(Side side) {
    switch (side) {
      case Side::kSouth: return 1;
      case Side::kNorth: return 2;
      case Side::kEast: return 3;
      default: return 4;
    }
  }

  int source(Side side) const { return wildcard_ ? MPI_ANY_SOURCE : grid_.neighbour(side); }

  ProcessGrid grid_;
  bool wildcard_;
};

}  // namespace npb::lu
