// A master and workers. Races: which worker answers first, and so who gets which of the following tasks.
// Ends: every task given out is answered once, the master receives as many answers as it gave tasks, and each
// worker's last answer is answered by the order to stop.
#include "racing.hpp"

using namespace racing;

namespace {

uint64_t tasks_in_all() { return 240 * g_length; }
constexpr int kTaskTag = 1;
constexpr int kStopTag = 2;

struct Answer {
  uint64_t task;
  uint64_t history;  // of all tasks that this worker has done
};

void worker(Account& account, Report& report) {
  int tasks = 0;
  for (;;) {
    Answer answer{};
    MPI_Status status;
    MPI_Recv(&answer.task, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStopTag) break;
    work(answer.task, 40000);
    ++tasks;
    account.add(answer.task);
    answer.history = account.hash();
    MPI_Send(&answer, 2, MPI_UINT64_T, 0, 10 + static_cast<int>(answer.task % 7), MPI_COMM_WORLD);
  }
  report.line("did %d tasks", tasks);
}

void master(Account& account, Report& report) {
  uint64_t next = 0;
  int busy = 0;
  const auto give = [&](int to) {
    const bool more = next < tasks_in_all();
    MPI_Send(&next, 1, MPI_UINT64_T, to, more ? kTaskTag : kStopTag, MPI_COMM_WORLD);
    if (more) ++next, ++busy;
  };
  for (int to = 1; to < g_size; ++to) give(to);
  std::string first;
  while (busy > 0) {
    Answer answer{};
    MPI_Status status;
    MPI_Recv(&answer, 2, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT(status.MPI_TAG == 10 + static_cast<int>(answer.task % 7));
    --busy;
    account.add(status, answer.task, answer.history);
    if (account.count() <= 24) {
      first += ' ' + std::to_string(answer.task) + '>' + std::to_string(status.MPI_SOURCE);
    }
    give(status.MPI_SOURCE);
  }
  report.line("first answers, by task and worker:%s", first.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  g_rank == 0 ? master(account, report) : worker(account, report);
  print(report, account);
}
