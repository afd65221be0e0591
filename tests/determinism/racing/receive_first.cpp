// Fig. 3 of paper 000 (NPB BT): every rank posts receives, and sends afterwards what the receives of others wait for.
// The papers let a receive complete at a point K = 10 ticks after its post, and wait there: all ranks wait before they
// send. Their remedy is to wait in tests only, and they name what is left: "a programmer tests the coming of messages
// before sending it". So here each rank tests, up to hundreds of ticks long, before it sends. Races: which tests are
// true, in which order, and which of two receives takes which message. Ends: a round has its own tags; a rank is sent
// as many messages of each as it receives, and none waits for anything.
#include "racing.hpp"

using namespace racing;

namespace {

constexpr int kRounds = 24;
constexpr size_t kReceives = 3;  // the first names its source
constexpr uint64_t kMostTests = 120;

int shift(int round, uint64_t which) {
  return 1 + static_cast<int>(draw(static_cast<uint64_t>(round), which) % static_cast<uint64_t>(g_size - 1));
}
int after(int rank, int distance) { return (rank + distance + g_size) % g_size; }
uint64_t value_of(int round, int from) { return draw(static_cast<uint64_t>(round), static_cast<uint64_t>(from), 5); }

void exchange(int round, Account& account) {
  const int named = 2 * round, wild = 2 * round + 1;
  uint64_t values[kReceives];
  MPI_Request requests[kReceives];
  MPI_Irecv(&values[0], 1, MPI_UINT64_T, after(g_rank, -1), named, MPI_COMM_WORLD, &requests[0]);
  for (size_t i = 1; i < kReceives; ++i) {
    MPI_Irecv(&values[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, wild, MPI_COMM_WORLD, &requests[i]);
  }
  const auto complete = [&](size_t i, const MPI_Status& status, uint64_t tests) {
    EXPECT(values[i] == value_of(round, status.MPI_SOURCE));
    account.add(i, status, values[i], tests);
  };
  const uint64_t tests = draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(round)) % kMostTests;
  for (uint64_t test = 0; test < tests; ++test) {
    for (size_t i = 0; i < kReceives; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      int flag = 0;
      MPI_Status status;
      MPI_Test(&requests[i], &flag, &status);
      if (flag) complete(i, status, test);
    }
    work(test, 300);
  }
  const uint64_t value = value_of(round, g_rank);
  MPI_Send(&value, 1, MPI_UINT64_T, after(g_rank, 1), named, MPI_COMM_WORLD);
  for (uint64_t i = 1; i < kReceives; ++i) {
    MPI_Send(&value, 1, MPI_UINT64_T, after(g_rank, shift(round, i)), wild, MPI_COMM_WORLD);
  }
  for (size_t i = 0; i < kReceives; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    MPI_Status status;
    MPI_Wait(&requests[i], &status);
    complete(i, status, kMostTests);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Account account;
  Report report;
  for (int round = 0; round < kRounds; ++round) {
    exchange(round, account);
    if (round % 6 == 5) report.line("round %d: %016lx", round, static_cast<unsigned long>(account.hash()));
  }
  print(report, account);
}
