#include "process_grid.hpp"

#include <algorithm>
#include <bit>

namespace npb::mg {

std::optional<ProcessGrid> ProcessGrid::try_create(int points, int ranks, int rank) {
  if (ranks <= 0 || !std::has_single_bit(static_cast<unsigned>(ranks))) return std::nullopt;
  const int bits = std::countr_zero(static_cast<unsigned>(ranks));
  const int x_bits = bits / 3;
  const int y_bits = (bits - x_bits) / 2;
  const int z_bits = bits - x_bits - y_bits;  // the largest of the three
  if ((2 << z_bits) > points) return std::nullopt;
  return ProcessGrid({1 << x_bits, 1 << y_bits, 1 << z_bits}, rank);
}

ProcessGrid::ProcessGrid(std::array<int, 3> processes, int rank)
    : processes_(processes),
      coordinate_{rank % processes[kX], rank / processes[kX] % processes[kY], rank / (processes[kX] * processes[kY])} {}

// The rank `distance` places further along the axis, cyclically. |distance| is at most the number of places.
int ProcessGrid::neighbour(Axis axis, int distance) const {
  std::array<int, 3> place = coordinate_;
  place[axis] = (place[axis] + distance + processes_[axis]) % processes_[axis];
  return rank_at(place);
}

LevelPart ProcessGrid::part(int points) const {
  LevelPart part;
  part.points = points;
  for (const Axis axis : kAxes) {
    const int count = processes_[axis];
    const int at = coordinate_[axis];
    part.owned[axis] = {at * points / count, (at + 1) * points / count};
    const int distance = std::max(1, count / points);
    part.before[axis] = neighbour(axis, -distance);
    part.after[axis] = neighbour(axis, distance);
  }
  return part;
}

}  // namespace npb::mg
