// In libdetmpi, called by libdetmpi_fortran: what it needs to know before it calls a function of MPI, and what it says
// in place of a call.
#pragma once

#include <mpi.h>

extern "C" {
#pragma GCC visibility push(default)
// Whether messages can be of the type. Raises no error.
bool detmpi_fortran_is_usable(MPI_Datatype type);
// Raises MPI_ERR_BUFFER on the communicator, as `function` would do it, and returns the code.
int detmpi_fortran_refuse(const char* function, MPI_Comm comm, const char* text);
#pragma GCC visibility pop
}
