// The spatial operator of the flow equations and the residual: forcing + operator(solution), at the interior points.
#pragma once

#include "cell_data.hpp"

namespace npb::multipartition {

// Which values of a point the operator leaves behind for the solver.
enum class Primitives { kWithoutSound, kWithSound };

// cell.increment = scale * (cell.forcing + operator(cell.solution)) inside, for a grid of n points per direction.
// Computes cell.primitives on the way, one layer of halo included. The halo of the solution must be up to date.
void compute_residual(CellData& cell, int n, double scale, Primitives primitives);

}  // namespace npb::multipartition
