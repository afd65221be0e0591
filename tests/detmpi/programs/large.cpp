// One message of 100 MiB each way between ranks 0 and 1.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  constexpr size_t kBytes = size_t{100} << 20;
  if (g_rank > 1) return 0;
  const int peer = 1 - g_rank;
  std::vector<unsigned char> data(kBytes);
  if (g_rank == 0) {
    data = message(kBytes, 3);
    MPI_Send(data.data(), static_cast<int>(kBytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    std::memset(data.data(), 0, kBytes);
  }
  MPI_Status status;
  MPI_Recv(data.data(), static_cast<int>(kBytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD, &status);
  EXPECT(count_of(status, MPI_BYTE) == static_cast<int>(kBytes));
  EXPECT(holds(data.data(), kBytes, 3));
  if (g_rank == 1) MPI_Send(data.data(), static_cast<int>(kBytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  if (g_rank == 0) std::puts("there and back");
}
