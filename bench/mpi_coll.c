/* Time per call of collectives over all ranks.
 *
 * Prints one JSON line per case. A sample is a loop of calls back to back, its time that of the slowest rank;
 * us is the median over the samples. bytes is the vector that every rank has (bcast, reduce, allreduce, scan), or the
 * block for each other rank (gather, scatter, allgather, alltoall, alltoallv, reduce_scatter). A rooted call may thus
 * run ahead of its receivers, as it does in programs. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include "mpi_bench.h"

enum { kWarmUp = 3 };

struct buffers {
  char *out;
  char *in;
  int *counts; /* for each rank */
  int *starts;
};

typedef void (*call_fn)(const struct buffers *buffers, long bytes);

static int doubles(long bytes) { return (int)(bytes / (long)sizeof(double)); }

static void call_barrier(const struct buffers *buffers, long bytes) {
  (void)buffers;
  (void)bytes;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void call_bcast(const struct buffers *buffers, long bytes) {
  MPI_Bcast(buffers->out, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void call_reduce(const struct buffers *buffers, long bytes) {
  MPI_Reduce(buffers->out, buffers->in, doubles(bytes), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void call_allreduce(const struct buffers *buffers, long bytes) {
  MPI_Allreduce(buffers->out, buffers->in, doubles(bytes), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void call_scan(const struct buffers *buffers, long bytes) {
  MPI_Scan(buffers->out, buffers->in, doubles(bytes), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void call_reduce_scatter(const struct buffers *buffers, long bytes) {
  MPI_Reduce_scatter_block(buffers->out, buffers->in, doubles(bytes), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void call_gather(const struct buffers *buffers, long bytes) {
  MPI_Gather(buffers->out, (int)bytes, MPI_BYTE, buffers->in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void call_scatter(const struct buffers *buffers, long bytes) {
  MPI_Scatter(buffers->out, (int)bytes, MPI_BYTE, buffers->in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void call_allgather(const struct buffers *buffers, long bytes) {
  MPI_Allgather(buffers->out, (int)bytes, MPI_BYTE, buffers->in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void call_alltoall(const struct buffers *buffers, long bytes) {
  MPI_Alltoall(buffers->out, (int)bytes, MPI_BYTE, buffers->in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void call_alltoallv(const struct buffers *buffers, long bytes) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < ranks; ++i) {
    buffers->counts[i] = (int)bytes;
    buffers->starts[i] = (int)bytes * i;
  }
  MPI_Alltoallv(buffers->out, buffers->counts, buffers->starts, MPI_BYTE, buffers->in, buffers->counts, buffers->starts,
                MPI_BYTE, MPI_COMM_WORLD);
}

struct bench_case {
  const char *op;
  call_fn call;
  int blocks; /* a buffer has one for each rank */
};

static const struct bench_case kCases[] = {
    {"barrier", call_barrier, 0},     {"bcast", call_bcast, 0},         {"reduce", call_reduce, 0},
    {"allreduce", call_allreduce, 0}, {"scan", call_scan, 0},           {"reduce_scatter", call_reduce_scatter, 1},
    {"gather", call_gather, 1},       {"scatter", call_scatter, 1},     {"allgather", call_allgather, 1},
    {"alltoall", call_alltoall, 1},   {"alltoallv", call_alltoallv, 1},
};
static const int kCaseCount = sizeof kCases / sizeof kCases[0];
static const long kSizes[] = {8, 512, 8192, 65536, 524288, 4194304};
static const int kSizeCount = sizeof kSizes / sizeof kSizes[0];
static const long kLargestBuffer = 32L << 20; /* larger cases are left out */

/* us of one call, on the slowest rank; the result is rank 0's only. */
static double sample(call_fn call, const struct buffers *buffers, long bytes, long iterations) {
  double slowest = 0.0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = bench_now_us();
  for (long i = 0; i < iterations; ++i) call(buffers, bytes);
  double mine = (bench_now_us() - start) / (double)iterations;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

static void measure(int rank, int ranks, const struct bench_plan *plan, const struct bench_case *c, long bytes,
                    const struct buffers *buffers) {
  long iterations = bench_iterations(plan, sample(c->call, buffers, bytes, kWarmUp));
  MPI_Bcast(&iterations, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  double samples[kMaxRepetitions];
  for (int i = 0; i < plan->repetitions; ++i) samples[i] = sample(c->call, buffers, bytes, iterations);
  if (rank != 0) return;
  const double us = bench_median(samples, plan->repetitions);
  printf("{\"bench\":\"coll\",\"op\":\"%s\",\"bytes\":%ld,\"ranks\":%d,\"us\":%.4f}\n", c->op, bytes, ranks, us);
  fflush(stdout);
}

static void measure_sizes(int rank, int ranks, const struct bench_plan *plan, const struct bench_case *c,
                          const struct buffers *buffers) {
  for (int i = 0; i < kSizeCount; ++i)
    if (!c->blocks || kSizes[i] * ranks <= kLargestBuffer) measure(rank, ranks, plan, c, kSizes[i], buffers);
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
    "only these of barrier, bcast, reduce, allreduce, scan, reduce_scatter, gather, scatter, allgather, alltoall, "
    "alltoallv"};

static void run(int rank, const struct bench_plan *plan, const char *only) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t each = (size_t)ranks * sizeof(int);
  const struct buffers buffers = {bench_buffer(kLargestBuffer), bench_buffer(kLargestBuffer), malloc(each),
                                  malloc(each)};
  memset(buffers.out, 0, kLargestBuffer); /* sums of zeros: no slow denormals, no overflow */
  for (int i = 0; i < kCaseCount; ++i)
    if (is_listed(only, kCases[i].op)) {
      if (kCases[i].call == call_barrier) measure(rank, ranks, plan, &kCases[i], 0, &buffers);
      else measure_sizes(rank, ranks, plan, &kCases[i], &buffers);
    }
  free(buffers.out);
  free(buffers.in);
  free(buffers.counts);
  free(buffers.starts);
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
