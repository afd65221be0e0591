// How LU lays the grid over the ranks: pencils along z, on a grid of px processes in x and py in y, px = py or the
// next larger factor, at most 2 py.
//
//   rank = row + px * column; row counts along x from north to south, column along y from west to east.
//
// Pure arithmetic, no communication: every rank can compute every other rank's place.
#pragma once

#include <optional>

#include "../common/range.hpp"

namespace npb::lu {

// The four neighbours. There is no wrap-around.
enum class Side { kNorth, kSouth, kEast, kWest };

constexpr Side opposite(Side side) {
  switch (side) {
    case Side::kNorth: return Side::kSouth;
    case Side::kSouth: return Side::kNorth;
    case Side::kEast: return Side::kWest;
    default: return Side::kEast;
  }
}

class ProcessGrid {
 public:
  // Fewer points than this in x or y make no part: the surface integral and the two layers of a halo need them.
  static constexpr int kSmallestPart = 3;

  // Nothing when `ranks` has no factors px, py with py <= px <= 2 py, or when a part would be too small.
  // 0 <= rank < ranks.
  static std::optional<ProcessGrid> try_create(int n, int ranks, int rank);

  int processes_x() const { return px_; }
  int processes_y() const { return py_; }
  int row() const { return rank_ % px_; }
  int column() const { return rank_ / px_; }

  // The rank's points of the grid, counted from the grid's first.
  Range x_part() const { return part_of(n_, px_, row()); }
  Range y_part() const { return part_of(n_, py_, column()); }

  bool has_neighbour(Side side) const;
  // Its rank. There must be one.
  int neighbour(Side side) const;

 private:
  ProcessGrid(int n, int px, int py, int rank) : n_(n), px_(px), py_(py), rank_(rank) {}

  int n_;
  int px_;
  int py_;
  int rank_;
};

}  // namespace npb::lu
