#include "fortran_lines.hpp"

#include <cstdlib>

namespace detmpi {

// Of the units that exist from the beginning, standard output among them.
void ask_for_fortran_lines() { ::setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", 0); }

}  // namespace detmpi
