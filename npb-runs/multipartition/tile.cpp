#include "tile.hpp"

namespace npb::multipartition {

void gather(const Rows<const double>& rows, int count, int values, Range points, const Tile& tile) {
  for (int i = points.begin; i < points.end; ++i)
    for (int m = 0; m < values; ++m) {
      const double* const from = rows.first + m * rows.pitch + i;
      double* const to = tile.origin + i * tile.stride + m * tile.lanes;
      for (int lane = 0; lane < count; ++lane) to[lane] = from[lane * rows.stride];
    }
}

void scatter(const Tile& tile, int count, int values, Range points, const Rows<double>& rows) {
  for (int i = points.begin; i < points.end; ++i)
    for (int m = 0; m < values; ++m) {
      const double* const from = tile.origin + i * tile.stride + m * tile.lanes;
      double* const to = rows.first + m * rows.pitch + i;
      for (int lane = 0; lane < count; ++lane) to[lane * rows.stride] = from[lane];
    }
}

}  // namespace npb::multipartition
