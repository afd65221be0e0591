#include "halo.hpp"

#include <algorithm>

namespace npb::multipartition {
namespace {

constexpr int kTags[6] = {2000, 3000, 4000, 5000, 7000, 6000};

Axis axis_of(int message) { return static_cast<Axis>(message / 2); }
bool goes_up(int message) { return message % 2 == 0; }

// Whether data that travel so leave, or reach, a cell. Those of its neighbour do not count as leaving the grid.
bool has_neighbour(const Cell& cell, Axis axis, bool above, int slabs) {
  return above ? cell.at[axis] + 1 < slabs : cell.at[axis] > 0;
}

// Calls visit(pointer, count) for runs of contiguous values of the layers [first, first + 2) across an axis, in an
// order that depends on the shape only.
template <class Visit>
void for_each_run(CellData& cell, Axis axis, int first, Visit visit) {
  std::array<Range, 3> part{Range{0, cell.box.size[kX]}, Range{0, cell.box.size[kY]}, Range{0, cell.box.size[kZ]}};
  part[axis] = {first, first + kHalo};
  for (int k = part[kZ].begin; k < part[kZ].end; ++k)
    for (int j = part[kY].begin; j < part[kY].end; ++j)
      for (int m = 0; m < cfd::kComponents; ++m)
        visit(cell.solution.row(j, k) + m * cell.solution.pitch() + part[kX].begin, part[kX].size());
}

}  // namespace

HaloExchange::HaloExchange(const Partition& partition, const std::vector<CellData>& cells, MPI_Comm comm)
    : comm_(comm) {
  for (int d = 0; d < 6; ++d) {
    const Axis axis = axis_of(d);
    const int above = partition.successor(axis), below = partition.predecessor(axis);
    std::size_t sent = 0, received = 0;
    for (const CellData& cell : cells) {
      std::size_t values = cfd::kComponents * kHalo;
      for (const Axis other : kAxes)
        if (other != axis) values *= static_cast<std::size_t>(cell.box.size[other]);
      if (has_neighbour(cell.place, axis, goes_up(d), partition.cells())) sent += values;
      if (has_neighbour(cell.place, axis, !goes_up(d), partition.cells())) received += values;
    }
    messages_[d] = {.to = goes_up(d) ? above : below,
                    .from = goes_up(d) ? below : above,
                    .tag = kTags[d],
                    .sent = std::vector<double>(sent),
                    .received = std::vector<double>(received)};
  }
}

void HaloExchange::run(std::vector<CellData>& cells) {
  const int slabs = static_cast<int>(cells.size());
  if (slabs == 1) return;
  std::array<MPI_Request, 12> requests;
  for (int d = 0; d < 6; ++d) {
    Message& message = messages_[d];
    MPI_Irecv(message.received.data(), static_cast<int>(message.received.size()), MPI_DOUBLE, message.from, message.tag,
              comm_, &requests[d]);
  }
  for (int d = 0; d < 6; ++d) {
    Message& message = messages_[d];
    double* next = message.sent.data();
    for (CellData& cell : cells) {
      if (!has_neighbour(cell.place, axis_of(d), goes_up(d), slabs)) continue;
      const int first = goes_up(d) ? cell.box.size[axis_of(d)] - kHalo : 0;
      for_each_run(cell, axis_of(d), first, [&](double* run, int count) { next = std::copy_n(run, count, next); });
    }
    MPI_Isend(message.sent.data(), static_cast<int>(message.sent.size()), MPI_DOUBLE, message.to, message.tag, comm_,
              &requests[6 + d]);
  }
  MPI_Waitall(12, requests.data(), MPI_STATUSES_IGNORE);
  for (int d = 0; d < 6; ++d) {
    const double* next = messages_[d].received.data();
    for (CellData& cell : cells) {
      if (!has_neighbour(cell.place, axis_of(d), !goes_up(d), slabs)) continue;
      const int first = goes_up(d) ? -kHalo : cell.box.size[axis_of(d)];
      for_each_run(cell, axis_of(d), first, [&](double* run, int count) {
        std::copy_n(next, count, run);
        next += count;
      });
    }
  }
}

}  // namespace npb::multipartition
