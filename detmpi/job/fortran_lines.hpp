// Lets ranks in Fortran print line by line, although their standard output is a file (output_files.hpp).
#pragma once

namespace detmpi {

// gfortran's runtime library writes every record at once to a terminal or a pipe, and some thousand bytes together to a
// file: cut anywhere, at another logical time, and lost when the rank is ended. Asks it, by the environment of the
// program that this process becomes, for the former; a wish of the user's stays.
void ask_for_fortran_lines();

}  // namespace detmpi
