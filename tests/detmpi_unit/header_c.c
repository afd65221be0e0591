/* mpi.h compiles as plain C, and its types have the sizes that the binary interface says. */
#include <mpi.h>

_Static_assert(sizeof(MPI_Status) == 20, "status");
_Static_assert(sizeof(MPI_Comm) == 4 && sizeof(MPI_Aint) == 8 && sizeof(MPI_Offset) == 8,
               "handles and integers");

int main(void) { return MPI_Comm_c2f(MPI_COMM_WORLD) != MPI_COMM_WORLD; }
