/* What a probe or a test costs that finds nothing, on two ranks; further ranks only wait.
 *
 * Prints one JSON line per case: us of one call on rank 0, the median of several samples. Nothing is on its way
 * meanwhile, so that every call fails. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include "mpi_bench.h"

enum { kTag = 7, kOtherTag = 8, kWarmUp = 1000 };

/* The receives that are tested. */
struct pending {
  int values[2];
  MPI_Request requests[2];
};

static void expect_nothing(int found) {
  if (!found) return;
  fprintf(stderr, "mpi_polls: a call has found something where nothing was sent\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void poll_named(struct pending *pending, int peer) {
  (void)pending;
  int found;
  MPI_Iprobe(peer, kTag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  expect_nothing(found);
}

static void poll_any(struct pending *pending, int peer) {
  (void)pending, (void)peer;
  int found;
  MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  expect_nothing(found);
}

static void poll_one(struct pending *pending, int peer) {
  (void)peer;
  int found;
  MPI_Test(&pending->requests[0], &found, MPI_STATUS_IGNORE);
  expect_nothing(found);
}

static void poll_two(struct pending *pending, int peer) {
  (void)peer;
  int found, index;
  MPI_Testany(2, pending->requests, &index, &found, MPI_STATUS_IGNORE);
  expect_nothing(found);
}

struct bench_case {
  const char *op;
  void (*poll)(struct pending *pending, int peer);
  int by_both; /* else the other rank is blocked in a barrier */
};

static const struct bench_case kCases[] = {
    {"iprobe", poll_named, 1}, {"iprobe any", poll_any, 1},   {"iprobe, other blocked", poll_named, 0},
    {"test", poll_one, 1},     {"testany of 2", poll_two, 1}, {"test, other blocked", poll_one, 0},
};
static const int kCaseCount = sizeof kCases / sizeof kCases[0];

static double sample(int rank, const struct bench_case *c, struct pending *pending, long iterations) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = bench_now_us();
  if (rank == 0 || (rank == 1 && c->by_both))
    for (long i = 0; i < iterations; ++i) c->poll(pending, 1 - rank);
  const double us = (bench_now_us() - start) / (double)iterations;
  MPI_Barrier(MPI_COMM_WORLD);
  return us;
}

static void measure(int rank, const struct bench_plan *plan, const struct bench_case *c, struct pending *pending) {
  long iterations = bench_iterations(plan, sample(rank, c, pending, kWarmUp));
  MPI_Bcast(&iterations, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  double samples[kMaxRepetitions];
  for (int i = 0; i < plan->repetitions; ++i) samples[i] = sample(rank, c, pending, iterations);
  if (rank != 0) return;
  printf("{\"bench\":\"polls\",\"op\":\"%s\",\"bytes\":0,\"us\":%.4f}\n", c->op,
         bench_median(samples, plan->repetitions));
  fflush(stdout);
}

static void run(int rank, const struct bench_plan *plan, const char *only) {
  struct pending pending;
  const int talks = rank < 2;
  for (int i = 0; talks && i < 2; ++i)
    MPI_Irecv(&pending.values[i], 1, MPI_INT, 1 - rank, kOtherTag, MPI_COMM_WORLD, &pending.requests[i]);
  for (int i = 0; i < kCaseCount; ++i)
    if (*only == '\0' || strcmp(only, kCases[i].op) == 0) measure(rank, plan, &kCases[i], &pending);
  for (int i = 0; talks && i < 2; ++i) MPI_Send(&rank, 1, MPI_INT, 1 - rank, kOtherTag, MPI_COMM_WORLD);
  if (talks) MPI_Waitall(2, pending.requests, MPI_STATUSES_IGNORE);
}

static const struct bench_command kCommand = {
    "mpi_polls", "Times probes and tests that find nothing between ranks 0 and 1; one JSON line per case.", "only",
    "OP", "only this case, such as iprobe or 'testany of 2'"};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct bench_plan plan = bench_plan_default();
  const char *only = "";
  int exit_code = bench_parse(&kCommand, argc, argv, rank, &plan, &only);
  if (exit_code < 0 && ranks < 2) {
    fprintf(stderr, "mpi_polls needs 2 ranks\n");
    exit_code = 2;
  }
  if (exit_code < 0) {
    run(rank, &plan, only);
    exit_code = 0;
  }
  MPI_Finalize();
  return exit_code;
}
