// Pairs of ranks: one sends a synchronous message and tests until it is received; the other one, which has got the
// message already, posts the receive, and has other things to do before it comes back to it. Roles change from round
// to round.
// Races: how often each send is tested.
// Ends: a receiver waits for the message, by a probe, and then for its receive; a sender waits for nothing.
#include "racing.hpp"

using namespace racing;

namespace {

uint64_t number_of_rounds() { return 40 * g_length; }

void send(uint64_t round, int to, Account& account) {
  MPI_Request request;
  MPI_Issend(&round, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD, &request);
  uint64_t tests = 0;
  for (int complete = 0; !complete; ++tests) {
    MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    work(tests, 300);
  }
  account.add(tests);
}

void receive(uint64_t round, int from, Account& account) {
  const uint64_t chance = draw(static_cast<uint64_t>(g_rank), round);
  MPI_Probe(from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(chance, 3000);
  uint64_t value = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, &request);
  int inter = 0;
  for (uint64_t call = 0; call < chance % 200; ++call) MPI_Comm_test_inter(MPI_COMM_WORLD, &inter);
  work(chance, 20000);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(value == round);
  account.add(value);
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  const int other = g_rank ^ 1;
  for (uint64_t round = 0; other < g_size && round < number_of_rounds(); ++round) {
    if (static_cast<uint64_t>(g_rank) % 2 == round % 2) send(round, other, account);
    else receive(round, other, account);
  }
  report.line("%016lx", static_cast<unsigned long>(account.hash()));
  print(report, account);
}
