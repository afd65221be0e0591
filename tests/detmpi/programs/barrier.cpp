// Nobody leaves a barrier before everybody has entered it. Ranks come late in turn.
#include <ctime>

#include "colls.hpp"

using namespace mpi_test;

namespace {

int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

void late(const Group& g, int who) {
  if (g.rank == who) {
    const timespec pause{0, 3000000};
    nanosleep(&pause, nullptr);
  }
  int64_t times[2];
  times[0] = now_ns();
  MPI_Barrier(g.comm);
  times[1] = now_ns();
  std::vector<int64_t> all(2 * static_cast<size_t>(g.size));
  MPI_Gather(times, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, 0, g.comm);
  if (g.rank != 0) return;
  int64_t last_in = 0;
  int64_t first_out = INT64_MAX;
  for (size_t i = 0; i < all.size(); i += 2) {
    last_in = std::max(last_in, all[i]);
    first_out = std::min(first_out, all[i + 1]);
  }
  EXPECT(last_in <= first_out);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  on_communicators([](const Group& g) {
    for (int i = 0; i < 3 * std::min(g.size, 8); ++i) late(g, i * 5 % g.size);
    for (int i = 0; i < 500; ++i) MPI_Barrier(g.comm);
  });
  if (g_rank == 0) std::puts("together");
}
