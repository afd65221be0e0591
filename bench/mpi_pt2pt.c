/* One-way latency and bandwidth between ranks 0 and 1 by ping-pong; further ranks only wait.
 *
 * Prints one JSON line per message size. us is half a round trip, the median of several samples. Both ranks
 * send from one buffer and receive into another, the same ones every time. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include "mpi_bench.h"

enum { kTag = 7, kWarmUp = 20 };

static const long kSizes[] = {0,    1,     8,     64,    256,    1024,   2048,    4096,
                              8192, 16384, 32768, 65536, 131072, 262144, 1048576, 4194304};
static const int kSizeCount = sizeof kSizes / sizeof kSizes[0];

struct buffers {
  char *out;
  char *in;
};

/* Time of `iterations` round trips in us, on rank 0; the same traffic from the other side on rank 1. */
static double ping_pong(int rank, const struct buffers *buffers, long bytes, long iterations) {
  const int peer = 1 - rank;
  const double start = bench_now_us();
  for (long i = 0; i < iterations; ++i) {
    if (rank == 0) MPI_Send(buffers->out, (int)bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
    MPI_Recv(buffers->in, (int)bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(buffers->out, (int)bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
  }
  return bench_now_us() - start;
}

/* Rank 0 decides how many round trips make a sample. */
static long agree_on_iterations(int rank, const struct bench_plan *plan, double us) {
  long iterations = rank == 0 ? bench_iterations(plan, us) : 0;
  if (rank == 0)
    MPI_Send(&iterations, 1, MPI_LONG, 1, kTag, MPI_COMM_WORLD);
  else
    MPI_Recv(&iterations, 1, MPI_LONG, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return iterations;
}

static void measure(int rank, const struct bench_plan *plan, const struct buffers *buffers, long bytes) {
  const double warm_up = ping_pong(rank, buffers, bytes, kWarmUp);
  const long iterations = agree_on_iterations(rank, plan, warm_up / kWarmUp);
  double samples[kMaxRepetitions];
  for (int i = 0; i < plan->repetitions; ++i)
    samples[i] = ping_pong(rank, buffers, bytes, iterations) / (2.0 * (double)iterations);
  if (rank != 0) return;
  const double us = bench_median(samples, plan->repetitions);
  printf("{\"bench\":\"pt2pt\",\"bytes\":%ld,\"us\":%.4f,\"GBps\":%.4f}\n", bytes, us,
         us > 0 ? (double)bytes / us * 1e-3 : 0.0);
  fflush(stdout);
}

static int run(int rank, const struct bench_plan *plan, long max_bytes) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fprintf(stderr, "mpi_pt2pt: needs 2 ranks\n");
    return 1;
  }
  const size_t largest = (size_t)kSizes[kSizeCount - 1];
  const struct buffers buffers = {bench_buffer(largest), bench_buffer(largest)};
  for (int i = 0; i < kSizeCount && rank < 2; ++i)
    if (kSizes[i] <= max_bytes) measure(rank, plan, &buffers, kSizes[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  free(buffers.out);
  free(buffers.in);
  return 0;
}

int main(int argc, char **argv) {
  return bench_main_by_size(argc, argv, "mpi_pt2pt",
                            "Ping-pong between ranks 0 and 1; one JSON line per message size.",
                            kSizes[kSizeCount - 1], run);
}
