// A master hands out work to whoever asks first, and everybody prints all the time: the master what it hands out, the
// workers what they do, at uneven times, with and without stdio's buffer.
#include <unistd.h>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr auto kComm = MPI_COMM_WORLD;
constexpr int kTasks = 120;

void master() {
  for (int task = 0, working = g_size - 1; working > 0;) {
    int done = 0;
    MPI_Status status;
    MPI_Recv(&done, 1, MPI_INT, MPI_ANY_SOURCE, 0, kComm, &status);
    int next = task < kTasks ? task++ : -1;
    if (next < 0) working -= 1;
    std::printf("master: %d asks, has done %d, gets %d\n", status.MPI_SOURCE, done, next);
    MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 0, kComm);
  }
}

void worker() {
  for (int task = 0, done = 0;; ++done) {
    MPI_Sendrecv(&done, 1, MPI_INT, 0, 0, &task, 1, MPI_INT, 0, 0, kComm, MPI_STATUS_IGNORE);
    if (task < 0) return;
    uint64_t x = 0;
    const uint32_t parts = mix(static_cast<uint64_t>(task)) % 5;
    for (uint32_t part = 0; part < parts; ++part) {
      for (uint64_t k = 0; k < mix(x + part) % 20000; ++k) x += mix(k + x);
      for (uint64_t k = 0; k < mix(x) % 40; ++k) MPI_Wtime();
      std::printf("worker %d: part %u of task %d: %lx\n", g_rank, part, task, static_cast<unsigned long>(x));
      if (part % 2 == 0) std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  if (g_rank == 0) master();
  else worker();
}
