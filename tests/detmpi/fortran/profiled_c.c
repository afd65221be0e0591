/* A tool that counts calls, for profiled.f90. */
#include <mpi.h>

static int g_seen;

int MPI_Barrier(MPI_Comm comm) {
  ++g_seen;
  return PMPI_Barrier(comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  ++g_seen;
  return PMPI_Bcast(buffer, count, datatype, root, comm);
}

int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  ++g_seen;
  return PMPI_Type_get_extent(datatype, lb, extent);
}

double MPI_Wtime(void) {
  ++g_seen;
  return PMPI_Wtime();
}

MPI_Fint calls_seen_(void) { return g_seen; }
