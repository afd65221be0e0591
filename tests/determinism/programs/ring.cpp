// A token that goes round and round; every rank adds to it what it has seen, and works for different times in
// between.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  constexpr int kRounds = 150;
  constexpr auto kComm = MPI_COMM_WORLD;
  uint64_t token[4] = {1, 2, 3, 4};
  uint64_t seen = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (g_rank != 0) MPI_Recv(token, 4, MPI_UINT64_T, left(), round, kComm, MPI_STATUS_IGNORE);
    const uint64_t turns = mix(token[0] + static_cast<uint64_t>(g_rank)) % 500;
    for (uint64_t i = 0; i < turns; ++i) seen = seen * 31 + mix(seen ^ token[i % 4]);
    token[round % 4] += seen + static_cast<uint64_t>(g_rank);
    MPI_Request request;
    MPI_Isend(token, 4, MPI_UINT64_T, right(), round, kComm, &request);
    if (g_rank == 0) {
      uint64_t back[4];
      MPI_Recv(back, 4, MPI_UINT64_T, left(), round, kComm, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      std::memcpy(token, back, sizeof token);
    } else {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  Report report;
  report.line("%016lx %016lx", static_cast<unsigned long>(seen),
              static_cast<unsigned long>(token[0] ^ token[1] ^ token[2] ^ token[3]));
  report.print();
}
