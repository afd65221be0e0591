// Root mean squares over the interior of the grid, of a field that is spread over the ranks.
#pragma once

#include "constants.hpp"

namespace npb::cfd {

// Per component sqrt(sum / (n-2)^3), where sum is that of `squares` over all ranks. Collective over MPI_COMM_WORLD:
// one MPI_Allreduce of 5 doubles. All ranks return the same bits.
State root_mean_square(const State& squares, int n);

}  // namespace npb::cfd
