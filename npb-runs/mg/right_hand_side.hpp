// Agreement of all ranks on the charges of the right-hand side.
#pragma once

#include "field.hpp"
#include "process_grid.hpp"

namespace npb::mg {

// v = the charges on the own points of the rank's part of the finest level, 0 on its other points and on ghosts.
// Collective over MPI_COMM_WORLD.
void set_charges(const LevelPart& level, Field& v);

}  // namespace npb::mg
