// What one rank does of the 3-D transform: a pass along each axis. Between two passes the ranks exchange parts of
// their arrays.
//
//   forward:   x pass, exchange among the rows, y pass, exchange among the columns, z pass
//   inverse:   the same from the end to the beginning
//
// Every pass writes its results cut into the parts that the next exchange sends, and reads the parts as the last
// exchange left them, so that data are moved only where they are worked on. An exchange with one rank is none.
#pragma once

#include "layout.hpp"
#include "line_pass.hpp"

namespace npb::ft {

struct Passes {
  explicit Passes(const ProcessGrid& grid)
      : x(lines_along(Axis::kX, place(grid.x_box())),
          lines_along(Axis::kX, place(grid.x_box(), Axis::kX, grid.rows()))),
        y(lines_along(Axis::kY, place(grid.y_box(), Axis::kY, grid.rows())),
          lines_along(Axis::kY, place(grid.y_box(), Axis::kY, grid.columns()))),
        z(lines_along(Axis::kZ, place(grid.z_box(), Axis::kZ, grid.columns())),
          lines_along(Axis::kZ, place(grid.z_box()))) {}

  LinePass x;
  LinePass y;
  LinePass z;
};

}  // namespace npb::ft
