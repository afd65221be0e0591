// Two halves, each with a communicator of its own on which operations do not match. The second half comes to it first
// in logical time, and last in real time.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  const bool second = g_rank >= g_size / 2;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, second, 0, &half);
  MPI_Comm_set_name(half, second ? "second" : "first");
  for (int call = 0; call < (second ? 300 : 1000); ++call) MPI_Wtime();
  if (second) compute(10'000'000);
  int value = g_rank, sum = 0;
  if (g_rank % (g_size / 2) == 0) MPI_Bcast(&value, 1, MPI_INT, 0, half);
  else MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
  for (;;) MPI_Barrier(half);
}
