/* A program that was built with another library (other_library.c), whose handles are those of MPICH. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank = 0, sum = 0;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
    puts("with the other library");
    return 1;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("with DetMPI: %d\n", sum);
  return MPI_Finalize();
}
