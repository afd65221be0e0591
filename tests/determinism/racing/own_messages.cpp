// Everybody sends two messages in each round, some of them synchronous and some to itself, and then receives two from
// any source, and waits for all four in one order or another. So ranks wait for acknowledgements of their own while
// others look at what they wait for. Races: in which order the messages of a round come, and to which receive. Ends: a
// round has a tag of its own, and nobody waits before all has been sent and all receives are posted.
#include "racing.hpp"

using namespace racing;

namespace {

uint64_t number_of_rounds() { return 60 * g_length; }

void send(uint64_t round, uint64_t which, uint64_t* value, MPI_Request* request) {
  const auto size = static_cast<uint64_t>(g_size), me = static_cast<uint64_t>(g_rank);
  const int to = static_cast<int>((me + draw(round, which) % size) % size);  // the same way around for all
  *value = draw(me, round, which);
  const auto start = *value % 3 == 0 ? MPI_Issend : MPI_Isend;
  start(value, 1, MPI_UINT64_T, to, static_cast<int>(round), MPI_COMM_WORLD, request);
}

void wait(MPI_Request requests[4], MPI_Status statuses[4], uint64_t chance) {
  if (chance % 3 == 0) {
    MPI_Waitall(4, requests, statuses);
    return;
  }
  for (size_t i = 0; i < 4; ++i) {
    const size_t which = (i + chance / 3) % 4;
    MPI_Wait(&requests[which], &statuses[which]);
  }
}

void play(uint64_t round, Account& account) {
  uint64_t out[2], in[2];
  MPI_Request requests[4];
  MPI_Status statuses[4];
  const uint64_t chance = draw(static_cast<uint64_t>(g_rank), round);
  for (uint64_t i = 0; i < 2; ++i) send(round, i, &out[i], &requests[i]);
  for (size_t i = 0; i < 2; ++i) {
    MPI_Irecv(&in[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, static_cast<int>(round), MPI_COMM_WORLD, &requests[2 + i]);
  }
  work(chance, 2000);
  wait(requests, statuses, chance);
  for (size_t i = 0; i < 2; ++i) account.add(statuses[2 + i], in[i]);
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  for (uint64_t round = 0; round < number_of_rounds(); ++round) play(round, account);
  print(report, account);
}
