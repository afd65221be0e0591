// A collector that gets messages in runs, by turns of one rank and of another, as on the levels of a multigrid method;
// and later from all others, too. Races: where the others' messages come among the runs, in which the collector expects
// somebody by then (engine/habits.hpp). Receives that block and that do not, by turns. Ends: every message is received
// once; who has a run tells the other one when it is over.
#include "racing.hpp"

using namespace racing;

namespace {

constexpr int kPeriods = 16;
constexpr int kLong = 10, kShort = 2;  // messages of a run
constexpr int kEach = 20;              // of every other rank
constexpr int kTag = 3, kToken = 4;

int odd_ranks() { return std::max(g_size - 3, 0); }

void collect(Account& account, Report& report) {
  const int total = kPeriods * (kLong + kShort) + odd_ranks() * kEach;
  std::string sources;
  for (int i = 0; i < total; ++i) {
    uint64_t value = 0;
    MPI_Status status;
    if (i % 2 == 0) {
      MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &status);
    } else {
      MPI_Request request;
      MPI_Irecv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &request);
      work(draw(value, static_cast<uint64_t>(i)), 3000);
      MPI_Wait(&request, &status);
    }
    account.add(status, value);
    sources += ' ' + std::to_string(status.MPI_SOURCE);
  }
  report.line("from%s", sources.c_str());
}

void send(int i) {
  const auto value = static_cast<uint64_t>(g_rank * 1000 + i);
  const auto send_as = (g_rank + i) % 3 == 0 ? MPI_Ssend : MPI_Send;
  send_as(&value, 1, MPI_UINT64_T, 0, kTag, MPI_COMM_WORLD);
}

// The other rank begins its run when this one's is over. Where there is no other, the rank has both.
void send_runs() {
  const int other = g_size > 2 ? 3 - g_rank : g_rank;
  for (int period = 0; period < kPeriods; ++period) {
    if (g_rank == 2) MPI_Recv(nullptr, 0, MPI_BYTE, other, kToken, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int messages = g_rank == 2 ? kShort : g_size > 2 ? kLong : kLong + kShort;
    for (int i = 0; i < messages; ++i) {
      work(draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(period * 100 + i)), 9000);
      send(i);
    }
    if (other == g_rank) continue;
    MPI_Send(nullptr, 0, MPI_BYTE, other, kToken, MPI_COMM_WORLD);
    if (g_rank == 1) MPI_Recv(nullptr, 0, MPI_BYTE, other, kToken, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Each call takes a tick of logical time; a run with its two tokens takes some 500.
void let_time_pass(int calls) {
  for (int flag = 0; calls > 0; --calls) MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
}

void send_between() {
  let_time_pass(4000);
  for (int i = 0; i < kEach; ++i) {
    let_time_pass(static_cast<int>(draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(i)) % 1500));
    work(draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(i)), 300000);
    send(i);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Account account;
  Report report;
  if (g_rank == 0) collect(account, report);
  else if (g_rank <= 2) send_runs();
  else send_between();
  print(report, account);
}
