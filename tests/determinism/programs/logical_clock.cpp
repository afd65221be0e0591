// The logical clock of every rank while messages come in at any moment: between calls, during calls that have
// nothing to do with them, early and late.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  for (int round = 0; round < 150; ++round) {
    std::vector<int> in(static_cast<size_t>(g_size), -1);
    std::vector<MPI_Request> requests(2 * static_cast<size_t>(g_size), MPI_REQUEST_NULL);
    for (int peer = 0; peer < g_size; ++peer) {
      MPI_Irecv(&in[static_cast<size_t>(peer)], 1, MPI_INT, peer, round % 5, MPI_COMM_WORLD,
                &requests[static_cast<size_t>(peer)]);
    }
    const int me = g_rank * 1000 + round;
    for (int k = 0; k < g_size; ++k) {
      const int peer = (g_rank + k) % g_size;
      const auto send = round % 3 == 0 ? MPI_Issend : MPI_Isend;
      send(&me, 1, MPI_INT, peer, round % 5, MPI_COMM_WORLD, &requests[static_cast<size_t>(g_size + peer)]);
      for (int i = 0; i < 1 + (g_rank + round) % 4; ++i) (void)MPI_Wtime();
    }
    const double before = MPI_Wtime();
    // Taken in an order of the program's own.
    for (int k = 0; k < g_size; ++k) {
      const int peer = (round + k) % g_size;
      MPI_Wait(&requests[static_cast<size_t>(peer)], MPI_STATUS_IGNORE);
      EXPECT(in[static_cast<size_t>(peer)] == peer * 1000 + round);
    }
    const double after = MPI_Wtime();
    MPI_Waitall(2 * g_size, requests.data(), MPI_STATUSES_IGNORE);
    if (round % 15 == 0) report.line("round %d: %.6f %.6f %.6f", round, before, after, MPI_Wtime());
  }
  report.line("%.6f", MPI_Wtime());
  report.print();
}
