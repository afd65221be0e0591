#include "sweep.hpp"

#include <algorithm>

namespace npb::multipartition {

Sweep::Sweep(const Partition& partition, std::vector<CellData>& cells, LineSolver& solver, Completion completion,
             MPI_Comm comm)
    : partition_(partition), cells_(cells), solver_(solver), completion_(completion), comm_(comm) {
  int longest = 0;
  for (const CellData& cell : cells_)
    for (const Axis axis : kAxes)
      longest =
          std::max({longest, solver_.upward_message(cell, axis).count, solver_.downward_message(cell, axis).count});
  if (partition_.cells() == 1) return;
  in_.resize(static_cast<std::size_t>(longest));
  out_.resize(static_cast<std::size_t>(longest));
}

void Sweep::run(Axis axis) {
  const int last = partition_.cells() - 1;
  const int below = partition_.predecessor(axis), above = partition_.successor(axis);
  for (int slab = 0; slab < last; ++slab) {
    CellData& cell = cell_in(axis, slab);
    if (slab > 0) receive(solver_.upward_message(cell, axis), below);
    solver_.eliminate(cell, axis, slab > 0 ? in_.data() : nullptr, out_.data());
    send(solver_.upward_message(cell, axis), above);
  }
  CellData& top = cell_in(axis, last);
  if (last > 0) receive(solver_.upward_message(top, axis), below);
  solver_.turn_round(top, axis, last > 0 ? in_.data() : nullptr, last > 0 ? out_.data() : nullptr);
  if (last > 0) send(solver_.downward_message(top, axis), below);
  for (int slab = last - 1; slab >= 0; --slab) {
    CellData& cell = cell_in(axis, slab);
    receive(solver_.downward_message(cell, axis), above);
    solver_.substitute(cell, axis, in_.data(), slab > 0 ? out_.data() : nullptr);
    if (slab > 0) send(solver_.downward_message(cell, axis), below);
  }
  MPI_Wait(&sending_, MPI_STATUS_IGNORE);
}

CellData& Sweep::cell_in(Axis axis, int slab) {
  return cells_[static_cast<std::size_t>(partition_.cell_in_slab(axis, slab))];
}

// Completes the send of the stage before too, so that its buffer can be filled again.
void Sweep::receive(LineMessage message, int rank) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, sending_};
  MPI_Irecv(in_.data(), message.count, MPI_DOUBLE, rank, message.tag, comm_, &requests[0]);
  if (completion_ == Completion::kTogether) {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  sending_ = MPI_REQUEST_NULL;
}

void Sweep::send(LineMessage message, int rank) {
  MPI_Isend(out_.data(), message.count, MPI_DOUBLE, rank, message.tag, comm_, &sending_);
}

}  // namespace npb::multipartition
