// A collector that gets two tags from one rank alone for long, and then from all. Races: where the others' messages
// come among those of the first rank, which the collector prefers by then (engine/habits.hpp), and among each other;
// whose synchronous send is received first; what a test says. Rounds: receives one by one; of both tags together; with
// a test in between, which ends the preference. Ends: every message is received once; who has sent the first tag sends
// the second next.
#include "racing.hpp"

using namespace racing;

namespace {

constexpr int kAlone = 60;  // messages of the first rank alone: a habit
constexpr int kEach = 20;   // of every rank then
constexpr int kTag = 3;     // and the one after it, in turns
constexpr int kRounds = 3;

class Collector {
 public:
  // Receives `pairs` messages of each tag, by the round's calls.
  void collect(Account& account, int pairs, int round) {
    for (int i = 0; i < pairs; ++i) {
      if (round == 0) one_by_one();
      else together(account, round == 2 && i % 3 == 0);
      for (int k = 0; k < 2; ++k) account.add(statuses_[k], values_[k]);
      if (first_.size() < 100) first_ += ' ' + std::to_string(values_[0]) + '+' + std::to_string(values_[1]);
    }
  }
  const std::string& first() const { return first_; }

 private:
  void one_by_one() {
    for (int k = 0; k < 2; ++k) {
      MPI_Recv(&values_[k], 1, MPI_UINT64_T, MPI_ANY_SOURCE, kTag + k, MPI_COMM_WORLD, &statuses_[k]);
    }
  }
  void together(Account& account, bool test) {
    MPI_Request requests[2];
    for (int k = 0; k < 2; ++k) {
      MPI_Irecv(&values_[k], 1, MPI_UINT64_T, MPI_ANY_SOURCE, kTag + k, MPI_COMM_WORLD, &requests[k]);
    }
    if (test) {
      int flag = 0;
      MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
      account.add(flag);
    }
    MPI_Waitall(2, requests, statuses_);
  }

  uint64_t values_[2];
  MPI_Status statuses_[2];
  std::string first_;
};

void collect(Account& account, Report& report, int round) {
  Collector collector;
  collector.collect(account, (kAlone + kEach * (g_size - 1)) / 2, round);
  report.line("round %d:%s", round, collector.first().c_str());
}

// In logical time, by more than the grace: what it sends next comes after what others, who take longer, send meanwhile.
void go_ahead() {
  for (int call = 0, flag = 0; call < 5000; ++call) MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
}

void send(int round) {
  if (g_rank == 1) {
    for (int i = 0; i < kAlone; ++i) {
      const uint64_t value = 10000;
      work(draw(1, static_cast<uint64_t>(i), static_cast<uint64_t>(round)), 3000);
      MPI_Send(&value, 1, MPI_UINT64_T, 0, kTag + i % 2, MPI_COMM_WORLD);
    }
  }
  for (int i = 0; i < kEach; ++i) {
    const uint64_t value = static_cast<uint64_t>(g_rank * 100 + i);
    work(draw(value, static_cast<uint64_t>(round)), g_rank == 1 ? 9000 : 300000);
    if (g_rank == 1) go_ahead();
    const auto send_as = (g_rank + i) % 3 == 0 ? MPI_Ssend : MPI_Send;
    send_as(&value, 1, MPI_UINT64_T, 0, kTag + i % 2, MPI_COMM_WORLD);
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
