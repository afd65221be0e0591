// The data symbols of the binary interface.
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

namespace {

int g_unweighted;
int g_weights_empty;
int g_all_handles;
MPI_F08_status g_f08_ignore;

}  // namespace

// Only the addresses matter: they are compared, never read.
int* const MPI_UNWEIGHTED = &g_unweighted;
int* const MPI_WEIGHTS_EMPTY = &g_weights_empty;
DetmpiToolPvar* const MPI_T_PVAR_ALL_HANDLES = reinterpret_cast<DetmpiToolPvar*>(&g_all_handles);
MPI_Fint* MPI_F_STATUS_IGNORE = reinterpret_cast<MPI_Fint*>(MPI_STATUS_IGNORE);
MPI_Fint* MPI_F_STATUSES_IGNORE = reinterpret_cast<MPI_Fint*>(MPI_STATUSES_IGNORE);
MPI_F08_status* MPI_F08_STATUS_IGNORE = &g_f08_ignore;
MPI_F08_status* MPI_F08_STATUSES_IGNORE = &g_f08_ignore;
