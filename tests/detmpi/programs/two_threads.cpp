// Two threads that call MPI: "turns", one after the other; or "at once".
#include <unistd.h>

#include <mutex>
#include <string_view>
#include <thread>

#include "testing.hpp"

using namespace mpi_test;

namespace {

std::mutex g_turn;

void take_turns(int tag) {
  for (int i = 0; i < 500; ++i) {
    int got = -1;
    const int sent = tag + i;
    const std::lock_guard lock(g_turn);
    MPI_Sendrecv(&sent, 1, MPI_INT, g_rank, tag, &got, 1, MPI_INT, g_rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(got == sent);
  }
}

void turns() {
  std::thread other([] { take_turns(1000); });
  take_turns(2000);
  other.join();
}

// Rank 0's other thread waits for a message that rank 1 sends after the barrier, to which it comes late: before, the
// program is in no deadlock.
void at_once() {
  if (g_rank == 1) {
    usleep(2'000'000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return;
  }
  std::thread other([] { MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
  usleep(300'000);  // by now it is there
  MPI_Barrier(MPI_COMM_WORLD);
  other.join();
}

}  // namespace

int main(int, char** argv) {
  int provided = -1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  std::string_view(argv[1]) == "turns" ? turns() : at_once();
  MPI_Finalize();
}
