// Of two communicators comes one message each, of the same rank there, length and tag, and the first is taken first. In
// the order of arrival it is that of rank 3 - LATE: either LATE.
#include <unistd.h>

#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  EXPECT(argc == 2 && g_size == 3);
  MPI_Comm without[2];  // rank 2, and rank 1
  MPI_Comm_split(MPI_COMM_WORLD, g_rank != 2, g_rank, &without[0]);
  MPI_Comm_split(MPI_COMM_WORLD, g_rank != 1, g_rank, &without[1]);
  if (g_rank != 0) {
    if (g_rank == std::atoi(argv[1])) usleep(200000);
    MPI_Send(nullptr, 0, MPI_INT, 0, 5, without[g_rank - 1]);
    return 0;
  }
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) MPI_Irecv(nullptr, 0, MPI_INT, 1, 5, without[i], &requests[i]);
  for (int i = 0, index = 0; i < 2; ++i) {
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    std::printf("%d\n", index);
  }
}
