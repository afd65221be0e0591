// How FT lays the grid over the ranks, and where the points lie in memory. Pure arithmetic, no communication.
//
// The ranks form a grid of R rows and C columns, rank = row * C + column. A rank holds in turn three boxes of the
// data, in each of which the lines along one axis are complete:
//
//   x complete:  y divided by rows,  z by columns
//   y complete:  x divided by rows,  z by columns     (from the first by an exchange within a process column)
//   z complete:  x divided by rows,  y by columns     (from the second by an exchange within a process row)
//
// With R = 1 these are slabs, and the first two boxes are the same; otherwise they are pencils.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "problem.hpp"

namespace npb::ft {

enum class Axis { kX, kY, kZ };

class ProcessGrid {
 public:
  // Slabs while there are as many z-planes as ranks, beyond that pencils with a row for every plane. Nothing when
  // `ranks` is not a power of two, or leaves a rank without points. The grid's sides are powers of two.
  static std::optional<ProcessGrid> try_create(Extent grid, int ranks, int rank);

  // Any shape whose rows divide x and y, and whose columns divide y and z.
  ProcessGrid(Extent grid, int rows, int columns, int rank)
      : grid_(grid), rows_(rows), columns_(columns), rank_(rank) {}

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int row() const { return rank_ / columns_; }
  int column() const { return rank_ % columns_; }
  bool has_slabs() const { return rows_ == 1; }

  Extent grid() const { return grid_; }
  Extent x_box() const { return {grid_.x, grid_.y / rows_, grid_.z / columns_}; }
  Extent y_box() const { return {grid_.x / rows_, grid_.y, grid_.z / columns_}; }
  Extent z_box() const { return {grid_.x / rows_, grid_.y / columns_, grid_.z}; }

 private:
  Extent grid_;
  int rows_;
  int columns_;
  int rank_;
};

// The largest number of ranks for a grid.
int most_ranks(Extent grid);

std::size_t points(Extent box);

// Where the points of a box lie: point (x, y, z) at index x[x] + y[y] + z[z].
struct Placement {
  std::vector<std::size_t> x;
  std::vector<std::size_t> y;
  std::vector<std::size_t> z;
};

// The box is cut along an axis into equal parts, which lie one after another, each with x fastest and z slowest.
// This is how an exchange sends and receives: a part for each rank. With one part it is an ordinary array.
Placement place(Extent box, Axis cut = Axis::kX, int parts = 1);

// All lines of a box along one axis: element k of line l lies at index element[k] + line[l]. The lines of one
// z-plane (for lines along z, of one y-plane) follow each other, those of neighbouring x or y next to each other.
struct LineMap {
  std::vector<std::size_t> element;
  std::vector<std::size_t> line;
};

LineMap lines_along(Axis axis, const Placement& placement);

}  // namespace npb::ft
