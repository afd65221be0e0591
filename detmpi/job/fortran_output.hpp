// What Fortran programs have written and their runtime library still holds.
#pragma once

namespace detmpi {

// All units of gfortran's runtime library, if there is one in this process. Waits for ever inside of an input or output
// statement.
void flush_fortran_output();

}  // namespace detmpi
