// The halo exchange of NPB's MG, with rendezvous messages: every rank posts receives with MPI_ANY_SOURCE, and then
// sends, blocking, to its two neighbours along an axis. Paper 001 counts nine deadlocks of its own in MG. They are a
// circle of those of Fig. 4 of paper 000: no receive takes a message while any other rank has a smaller clock, and all
// ranks wait in their sends, with clocks that stay. Races: which of its two receives takes which neighbour's message,
// as both have one tag. Ends: an exchange has its own tag. Whoever is behind all others has posted its receives, and so
// have its neighbours, so that its sends return.
#include "torus.hpp"

using namespace racing;

namespace {

constexpr int kExchanges = 30;
constexpr int kPoints = 64;
constexpr int kMostCalls = 400;

uint64_t value_of(int tag, int from, int point) {
  return draw(static_cast<uint64_t>(tag), static_cast<uint64_t>(from), static_cast<uint64_t>(point));
}

void exchange(int tag, const int (&neighbours)[2], Account& account) {
  uint64_t in[2][kPoints], out[kPoints];
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(in[i], kPoints, MPI_UINT64_T, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[i]);
  }
  for (int point = 0; point < kPoints; ++point) out[point] = value_of(tag, g_rank, point);
  int calls = static_cast<int>(draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(tag), 7) % kMostCalls);
  for (int rank = 0; calls > 0; --calls) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const int to : neighbours) {
    work(draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(tag), static_cast<uint64_t>(to)), 20000);
    MPI_Ssend(out, kPoints, MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
  }
  MPI_Status statuses[2];
  MPI_Waitall(2, requests, statuses);
  const int first = statuses[0].MPI_SOURCE, second = statuses[1].MPI_SOURCE;
  EXPECT((first == neighbours[0] && second == neighbours[1]) || (first == neighbours[1] && second == neighbours[0]));
  for (int i = 0; i < 2; ++i) {
    for (int point = 0; point < kPoints; ++point) {
      EXPECT(in[i][point] == value_of(tag, statuses[i].MPI_SOURCE, point));
    }
    account.add(statuses[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Account account;
  Report report;
  const Torus torus;
  for (int tag = 0; tag < 3 * kExchanges; ++tag) {
    const int axis = tag % 3;
    if (torus.dims[axis] == 1) continue;  // the rank is its own neighbour
    exchange(tag, {torus.neighbour(axis, 1), torus.neighbour(axis, -1)}, account);
    if (tag % 15 == 0) report.line("exchange %d: %016lx", tag, static_cast<unsigned long>(account.hash()));
  }
  print(report, account);
}
