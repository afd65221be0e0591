// Rank 0 hands out work and takes results from named workers in turn; tasks take very different times.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kTasks = 120;
constexpr int kStop = -1;

double work(int task) {
  double x = task;
  const unsigned turns = mix(static_cast<uint64_t>(task)) % 20000;
  for (unsigned i = 0; i < turns; ++i) x = x * 1.0000001 + 1.0 / (1.0 + i + x * x);
  return x;
}

void worker() {
  for (;;) {
    int task = 0;
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task == kStop) return;
    const double result = work(task);
    MPI_Send(&result, 1, MPI_DOUBLE, 0, task, MPI_COMM_WORLD);
  }
}

double master(Report& report) {
  double sum = 0;
  std::vector<int> task_of(static_cast<size_t>(g_size), kStop);
  int next = 0;
  const auto give = [&](int to) {
    int task = next < kTasks ? next++ : kStop;
    task_of[static_cast<size_t>(to)] = task;
    MPI_Send(&task, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
  };
  for (int to = 1; to < g_size; ++to) give(to);
  for (int done = 0; done < kTasks;) {
    for (int from = 1; from < g_size; ++from) {
      if (task_of[static_cast<size_t>(from)] == kStop) continue;
      double result = 0;
      MPI_Status status;
      MPI_Recv(&result, 1, MPI_DOUBLE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      EXPECT(status.MPI_TAG == task_of[static_cast<size_t>(from)]);
      sum += result / (1 + done);
      if (++done % 50 == 0) report.line("%d tasks, rank %d's is %d: %a", done, from, status.MPI_TAG, sum);
      give(from);
    }
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  if (g_size == 1) {
    double sum = 0;
    for (int task = 0; task < kTasks; ++task) sum += work(task) / (1 + task);
    report.line("%a", sum);
  } else if (g_rank == 0) {
    report.line("%a", master(report));
  } else {
    worker();
  }
  report.print();
}
