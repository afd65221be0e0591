// The integral of a pressure-like quantity over the faces of a box inside the grid.
#pragma once

#include "flow.hpp"
#include "messages.hpp"

namespace npb::lu {

// Collective over MPI_COMM_WORLD. All ranks return the same bits. `n` is the number of grid points per direction.
double surface_integral(const Messages& messages, const Extent& extent, const Flow& u, int n);

}  // namespace npb::lu
