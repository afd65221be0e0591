#include "partition.hpp"

namespace npb::multipartition {

std::optional<Partition> Partition::try_create(int n, int ranks, int rank) {
  int q = 1;
  while (q * q < ranks) ++q;
  if (q * q != ranks || n / q < kMinCellSize) return std::nullopt;
  return Partition(n, q, rank);
}

Cell Partition::cell(int index) const {
  Cell cell{.at = {wrap(x0_ + index - q_), wrap(y0_ - index), index}, .points = {}};
  for (const Axis axis : kAxes) cell.points[axis] = part_of(n_, q_, cell.at[axis]);
  return cell;
}

int Partition::cell_in_slab(Axis axis, int slab) const {
  switch (axis) {
    case kX: return wrap(slab - x0_);
    case kY: return wrap(y0_ - slab);
    default: return slab;
  }
}

int Partition::predecessor(Axis axis) const {
  switch (axis) {
    case kX: return rank_at(x0_ - 1, y0_);
    case kY: return rank_at(x0_, y0_ - 1);
    default: return rank_at(x0_ + 1, y0_ - 1);
  }
}

int Partition::successor(Axis axis) const {
  switch (axis) {
    case kX: return rank_at(x0_ + 1, y0_);
    case kY: return rank_at(x0_, y0_ + 1);
    default: return rank_at(x0_ - 1, y0_ + 1);
  }
}

}  // namespace npb::multipartition
