// == and /= of handles under the names that binaries of MPICH's module mpi refer to; those of mpi_f08 have the names
// that they have here.
#include <mpi.h>

#include "names.hpp"

extern "C" {
int detmpi_handle_eq(const MPI_Fint* left, const MPI_Fint* right) { return *left == *right ? 1 : 0; }
int detmpi_handle_neq(const MPI_Fint* left, const MPI_Fint* right) { return *left != *right ? 1 : 0; }
}

#define DETMPI_COMPARISONS(handle)                                          \
  DETMPI_FORTRAN_ALIAS(__mpi_constants_MOD_##handle##eq, detmpi_handle_eq); \
  DETMPI_FORTRAN_ALIAS(__mpi_constants_MOD_##handle##neq, detmpi_handle_neq)

DETMPI_COMPARISONS(comm);
DETMPI_COMPARISONS(datatype);
DETMPI_COMPARISONS(errhandler);
DETMPI_COMPARISONS(file);
DETMPI_COMPARISONS(group);
DETMPI_COMPARISONS(info);
DETMPI_COMPARISONS(message);
DETMPI_COMPARISONS(op);
DETMPI_COMPARISONS(request);
DETMPI_COMPARISONS(win);
