// Lets ranks in other languages than C print line by line, although their standard output is a file (output_files.hpp).
#pragma once

namespace detmpi {

// The runtime libraries of gfortran and Python write at once to a terminal, and some thousand bytes together to a file:
// cut anywhere, at another logical time, lost when the rank is ended, and with fork start printed by every rank if it
// was before MPI_Init. Asks them, by the environment of the program that this process becomes, to print at once; a wish
// of the user's stays.
void ask_for_lines();

}  // namespace detmpi
