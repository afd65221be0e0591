#include "process_grid.hpp"

namespace npb::lu {

std::optional<ProcessGrid> ProcessGrid::try_create(int n, int ranks, int rank) {
  if (ranks <= 0) return std::nullopt;
  int py = 1;  // the largest divisor not above the root
  for (int divisor = 2; divisor <= ranks / divisor; ++divisor)
    if (ranks % divisor == 0) py = divisor;
  const int px = ranks / py;
  if (px > 2 * py || n / px < kSmallestPart) return std::nullopt;
  return ProcessGrid(n, px, py, rank);
}

bool ProcessGrid::has_neighbour(Side side) const {
  switch (side) {
    case Side::kNorth: return row() > 0;
    case Side::kSouth: return row() + 1 < px_;
    case Side::kEast: return column() + 1 < py_;
    default: return column() > 0;
  }
}

int ProcessGrid::neighbour(Side side) const {
  switch (side) {
    case Side::kNorth: return rank_ - 1;
    case Side::kSouth: return rank_ + 1;
    case Side::kEast: return rank_ + px_;
    default: return rank_ - px_;
  }
}

}  // namespace npb::lu
