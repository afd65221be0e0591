/* Time per call of collectives over all ranks.
 *
 * Prints one JSON line per case. A sample is a loop of calls back to back, its time that of the slowest rank;
 * us is the median over the samples. bytes is what the call is given: the vector, for alltoall the block per
 * destination. A rooted call may thus run ahead of its receivers, as it does in programs. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include "mpi_bench.h"

enum { kWarmUp = 3 };

struct buffers {
  char *out;
  char *in;
};

typedef void (*call_fn)(const struct buffers *buffers, long bytes);

static void call_barrier(const struct buffers *buffers, long bytes) {
  (void)buffers;
  (void)bytes;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void call_allreduce(const struct buffers *buffers, long bytes) {
  const int count = (int)(bytes / (long)sizeof(double));
  MPI_Allreduce(buffers->out, buffers->in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void call_bcast(const struct buffers *buffers, long bytes) {
  MPI_Bcast(buffers->out, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void call_alltoall(const struct buffers *buffers, long bytes) {
  MPI_Alltoall(buffers->out, (int)bytes, MPI_BYTE, buffers->in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

struct bench_case {
  const char *op;
  call_fn call;
  long bytes;
};

static const struct bench_case kCases[] = {
    {"barrier", call_barrier, 0},          {"allreduce", call_allreduce, 8},
    {"allreduce", call_allreduce, 8192},   {"allreduce", call_allreduce, 1048576},
    {"bcast", call_bcast, 8},              {"bcast", call_bcast, 1048576},
    {"alltoall", call_alltoall, 8},        {"alltoall", call_alltoall, 65536},
};
static const int kCaseCount = sizeof kCases / sizeof kCases[0];
static const long kLargestVector = 1048576;
static const long kLargestBlock = 65536;

/* us of one call, on the slowest rank; the result is rank 0's only. */
static double sample(const struct bench_case *c, const struct buffers *buffers, long iterations) {
  double slowest = 0.0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = bench_now_us();
  for (long i = 0; i < iterations; ++i) c->call(buffers, c->bytes);
  double mine = (bench_now_us() - start) / (double)iterations;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

static void measure(int rank, int ranks, const struct bench_plan *plan, const struct bench_case *c,
                    const struct buffers *buffers) {
  long iterations = bench_iterations(plan, sample(c, buffers, kWarmUp));
  MPI_Bcast(&iterations, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  double samples[kMaxRepetitions];
  for (int i = 0; i < plan->repetitions; ++i) samples[i] = sample(c, buffers, iterations);
  if (rank != 0) return;
  const double us = bench_median(samples, plan->repetitions);
  printf("{\"bench\":\"coll\",\"op\":\"%s\",\"bytes\":%ld,\"ranks\":%d,\"us\":%.4f}\n", c->op, c->bytes,
         ranks, us);
  fflush(stdout);
}

/* Whether the comma-separated list names the operation; an empty list names all. */
static int is_listed(const char *list, const char *op) {
  const size_t length = strlen(op);
  if (*list == '\0') return 1;
  for (const char *at = list; (at = strstr(at, op)) != NULL; at += length) {
    const char after = at[length];
    if ((at == list || at[-1] == ',') && (after == '\0' || after == ',')) return 1;
  }
  return 0;
}

static const struct bench_command kCommand = {
    "mpi_coll", "Times collectives over all ranks; one JSON line per case.", "only", "OP,...",
    "only these of barrier, allreduce, bcast, alltoall"};

static void run(int rank, const struct bench_plan *plan, const char *only) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long blocks = kLargestBlock * ranks;
  const size_t largest = (size_t)(blocks > kLargestVector ? blocks : kLargestVector);
  const struct buffers buffers = {bench_buffer(largest), bench_buffer(largest)};
  memset(buffers.out, 0, largest); /* sums of zeros: no slow denormals, no overflow */
  for (int i = 0; i < kCaseCount; ++i)
    if (is_listed(only, kCases[i].op)) measure(rank, ranks, plan, &kCases[i], &buffers);
  free(buffers.out);
  free(buffers.in);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct bench_plan plan = bench_plan_default();
  const char *only = "";
  int exit_code = bench_parse(&kCommand, argc, argv, rank, &plan, &only);
  if (exit_code < 0) {
    run(rank, &plan, only);
    exit_code = 0;
  }
  MPI_Finalize();
  return exit_code;
}
