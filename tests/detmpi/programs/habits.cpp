// Receives from any source of a rank that has got a tag from one rank alone so far (engine/usual.cpp), and what comes
// behind them: another receive from any source, which sees messages as late as the one before it, and prefers nobody.
#include <cstdio>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kTag = 50;
constexpr int kHabit = 20;

void send(int value, int tag) { MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); }
int receive(int tag) {
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

void make_habit() {
  for (int i = 0; i < kHabit; ++i) {
    if (g_rank == g_size - 1) send(i, kTag);
    if (g_rank == 0) EXPECT(receive(kTag) == i);
  }
}

// The first receive has its message, as the program cannot know yet, when the second one is posted. What that one waits
// for has come before, or comes later.
void behind_another(bool before) {
  const bool sends = g_rank == g_size - 1;
  if (sends) send(1, kTag);
  if (sends && before) send(3, kTag);
  if (sends) send(2, kTag + 1);
  if (g_rank == 0) {
    int first = -1, second = -1;
    MPI_Request requests[2];
    MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&second, 1, MPI_INT, MPI_ANY_SOURCE, kTag + 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    EXPECT(second == 2);
    if (!before) MPI_Send(&second, 1, MPI_INT, g_size - 1, kTag + 2, MPI_COMM_WORLD);
    EXPECT(receive(before ? kTag : MPI_ANY_TAG) == 3);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT(first == 1);
  }
  if (!sends || before) return;
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, 0, kTag + 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  send(3, kTag);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  if (g_size > 1) {
    make_habit();
    for (const bool before : {true, false, true, false}) behind_another(before);
  }
  if (g_rank == 0) std::puts("in order");
}
