// The fields of one cell of the flow: how they begin, and their share of the norms. No MPI.
#pragma once

#include <vector>

#include "../cfd/constants.hpp"
#include "cell_data.hpp"
#include "residual.hpp"

namespace npb::multipartition {

// The cells of a rank, with all fields at rest.
std::vector<CellData> make_cells(const Partition& partition);

// Sets the forcing, which makes the exact solution steady. Overwrites the other fields.
void set_forcing(CellData& cell, int n, Primitives primitives);

// Sets the solution to its initial values.
void set_initial_values(CellData& cell, int n);

// Sums over the points of a cell: of the squares of the solution's error, and of those of the increment.
cfd::State squared_error(const CellData& cell, int n);
cfd::State squared_increment(const CellData& cell);

}  // namespace npb::multipartition
