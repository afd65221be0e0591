// Ranks 0 and 2 wait for each other, from one call on that comes after many. Rank 3 has waited for rank 4 since long
// before, and that one comes to wait for the pair somewhat later. The others print and ask for the time for ever, but
// from rank 5 on each comes to wait for the pair, too, sooner or later in real time.
#include "../../support/sanitized.hpp"
#include "testing.hpp"

using namespace mpi_test;

namespace {

void receive(int from) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  constexpr int kMany = test_support::kAddressSanitizer ? 300'000 : 3'000'000;
  const bool of_the_pair = g_rank == 0 || g_rank == 2;
  for (int call = 0;; ++call) {
    MPI_Wtime();
    if (call % 10 == 0) std::printf("rank %d: call %d\n", g_rank, call);
    if (call == 100 && g_rank == 3) receive(4);
    if (call == 5000 && of_the_pair) std::printf("rank %d waits", g_rank);
    if (call == 5000 && of_the_pair) receive(2 - g_rank);
    if (call == 20'000 && g_rank == 4) receive(0);
    if (call == kMany * g_rank && g_rank > 4) receive(0);
  }
}
