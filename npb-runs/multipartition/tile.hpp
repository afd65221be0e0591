// Lines along x, turned round: a tile holds a few neighbouring rows with the rows as its lanes, so that solvers can
// work on lines of all directions in the same way. Value m of a lane at position i is at [i * stride + m * lanes +
// lane].
#pragma once

#include <cstddef>

#include "../common/range.hpp"

namespace npb::multipartition {

// A few rows of a field: their first value of the first row, the distances between rows and between values.
template <class Number>
struct Rows {
  Number* first;
  std::ptrdiff_t stride, pitch;
};

// What a tile has room for, and where its position 0 is.
struct Tile {
  double* origin;
  std::ptrdiff_t stride;
  int lanes;
};

// Copies `values` values of positions `points` of the first `count` rows to the lanes of the tile, and back.
void gather(const Rows<const double>& rows, int count, int values, Range points, const Tile& tile);
void scatter(const Tile& tile, int count, int values, Range points, const Rows<double>& rows);

}  // namespace npb::multipartition
