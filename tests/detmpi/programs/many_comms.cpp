// Communicators made and freed by the thousand: their memory is used again.
#include "colls.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  constexpr int kRounds = 3000;
  long total = 0;
  for (int i = 0; i < kRounds; ++i) {
    MPI_Comm comm;
    if (i % 2 == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else MPI_Comm_split(MPI_COMM_WORLD, g_rank / 2, 0, &comm);
    int sum = 0;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == i * Group(comm).size);
    total += sum;
    MPI_Comm_free(&comm);
  }
  if (g_rank == 0) std::printf("%d communicators, %ld\n", kRounds, total);
}
