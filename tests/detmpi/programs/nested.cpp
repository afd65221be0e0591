// Rank 0 starts another MPI program (argument 1): it is a job of its own.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (g_rank == 0 && argc > 1) {
    EXPECT(std::getenv("DETMPI_SEGMENT") == nullptr && std::getenv("DETMPI_RANK") == nullptr);
    EXPECT(std::system((std::string("'") + argv[1] + "' inside").c_str()) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (g_rank == 0) std::puts("outside");
}
