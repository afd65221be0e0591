// A rank is a space: it starts a child space and talks to it over channels between MPI calls.
#include "testing.hpp"

#include <chan/chan.h>
#include <space/space.h>

using namespace mpi_test;

namespace {

struct Pair {
  chan_id to_child, to_rank;
};

int answer(void* arg) {
  const Pair& pair = *static_cast<Pair*>(arg);
  int value = 0;
  if (chan_recv(pair.to_child, &value, sizeof value) != sizeof value) return 1;
  value = value * 10 + 1;
  return chan_sendLast(pair.to_rank, &value, sizeof value) == 0 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  EXPECT(space_self() == g_rank);
  Pair pair = {chan_alloc(), chan_alloc()};
  EXPECT(pair.to_child > 0 && pair.to_rank > 0);
  const int child = space_alloc(7);
  EXPECT(child == 1);
  EXPECT(chan_setcons(pair.to_child, child) == 0);
  EXPECT(chan_setprod(pair.to_rank, child, 1) == 0);
  EXPECT(space_start(child, answer, &pair) == 0);
  int from_left = -1;
  MPI_Sendrecv(&g_rank, 1, MPI_INT, right(), 1, &from_left, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(chan_sendLast(pair.to_child, &from_left, sizeof from_left) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  int answered = -1;
  EXPECT(chan_recv(pair.to_rank, &answered, sizeof answered) == sizeof answered);
  EXPECT(space_join(child) == 0);
  space_exit_info end;
  EXPECT(space_status(child, &end) == 0 && end.exit_code == 0);
  int sum = 0;
  MPI_Allreduce(&answered, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  report.line("answered %d, sum %d", answered, sum);
  report.print();
}
