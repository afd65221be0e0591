// A collector that gets a tag from one rank alone for long, and then from all. Races: where the others' messages come
// among those of the first rank, which the collector prefers by then (engine/habits.hpp), and among each other; whose
// synchronous send is received first. Ends: every message that is sent is received once, in three rounds.
#include "racing.hpp"

using namespace racing;

namespace {

constexpr int kAlone = 60;  // messages of the first rank alone: a habit
constexpr int kEach = 20;   // of every rank then
constexpr int kTag = 3;
constexpr int kRounds = 3;

uint64_t receive(Account& account, int tag) {
  uint64_t value = 0;
  MPI_Status status;
  MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
  account.add(status, value);
  return value;
}

void collect(Account& account, Report& report, int round) {
  for (int i = 0; i < kAlone; ++i) receive(account, kTag);
  std::string first;
  for (int i = 0; i < kEach * (g_size - 1); ++i) {
    const uint64_t value = receive(account, kTag);
    if (i < 24) first += ' ' + std::to_string(value);
  }
  report.line("round %d:%s", round, first.c_str());
}

void send(int round) {
  if (g_rank == 1) {
    for (int i = 0; i < kAlone; ++i) {
      const uint64_t value = 10000;
      work(draw(1, static_cast<uint64_t>(i), static_cast<uint64_t>(round)), 3000);
      MPI_Send(&value, 1, MPI_UINT64_T, 0, kTag, MPI_COMM_WORLD);
    }
  }
  for (int i = 0; i < kEach; ++i) {
    const uint64_t value = static_cast<uint64_t>(g_rank * 100 + i);
    work(draw(value, static_cast<uint64_t>(round)), 9000);
    const auto send_as = (g_rank + i) % 3 == 0 ? MPI_Ssend : MPI_Send;
    send_as(&value, 1, MPI_UINT64_T, 0, kTag, MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Account account;
  Report report;
  for (int round = 0; round < kRounds; ++round) {
    if (g_rank == 0) collect(account, report, round);
    else send(round);
    // The next round's first messages may still meet those of others.
    if (round % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  print(report, account);
}
