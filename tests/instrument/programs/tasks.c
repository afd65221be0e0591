/* A master takes results from whoever is first (MPI_ANY_SOURCE) and hands out the next task; tasks differ tenfold.
 * Prints who did what, in the order of the results, and rank 0's time.
 * usage: tasks [TASKS] [TURNS OF THE SHORTEST TASK] [sleep]
 * sleep: a task sleeps, 1 us for 100 turns, so that there may be more ranks than cores. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kResult = 1, kTask = 2, kStop = -1 };

static int sleeps;

static double work(int task, long turns) {
  double x = task;
  const long n = turns * (1 + (long)(task * 2654435761u % 10));
  if (sleeps) usleep((useconds_t)(n / 100));
  for (long i = 0; !sleeps && i < n; ++i) x = x * 0.999 + 1.0 / (1.0 + x * x);
  return x;
}

static void worker(long turns) {
  int task = kStop;
  double result = 0;
  for (;;) {
    MPI_Send(&result, 1, MPI_DOUBLE, 0, kResult, MPI_COMM_WORLD);
    MPI_Recv(&task, 1, MPI_INT, 0, kTask, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task == kStop) return;
    result = work(task, turns);
  }
}

static void master(int tasks, int workers) {
  double sum = 0;
  for (int next = 0, active = workers; active > 0;) {
    double result;
    MPI_Status status;
    MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, kResult, MPI_COMM_WORLD, &status);
    sum = 0.5 * sum + result;
    int task = next < tasks ? next++ : kStop;
    if (task == kStop) --active;
    printf("%d:%d ", task, status.MPI_SOURCE);
    MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, kTask, MPI_COMM_WORLD);
  }
  printf("\nsum %a\n", sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int tasks = argc > 1 ? atoi(argv[1]) : 60;
  const long turns = argc > 2 ? atol(argv[2]) : 20000;
  sleeps = argc > 3;
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  if (rank == 0) master(tasks, ranks - 1);
  else worker(turns);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("time %.6f\n", MPI_Wtime() - began);
  return MPI_Finalize();
}
