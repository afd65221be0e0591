// Ranks 0 and 2 wait for each other from the beginning. The others compute for a fifth of a second of processor time,
// and come to wait for rank 0 then.
#include <ctime>

#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  constexpr std::clock_t kEnough = CLOCKS_PER_SEC / 5;
  const bool of_the_pair = g_rank == 0 || g_rank == 2;
  while (!of_the_pair && std::clock() < kEnough) compute(1000);
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, of_the_pair ? 2 - g_rank : 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
