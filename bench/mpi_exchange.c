/* Exchanges between neighbours, as programs make them: the buffers are written anew before every exchange, so that no
 * message finds its bytes where the last one left them.
 *
 *   ring    MPI_Sendrecv: to the right, from the left
 *   pairs   ranks 2k and 2k + 1: MPI_Send there, then MPI_Send back
 *   halo    two MPI_Irecv, two MPI_Isend, MPI_Waitall: with both neighbours
 *
 * Each of them twice: as it is; and so that what has come is read as well, in the same time (ring-read and so on),
 * since a library may leave bytes where the reader must fetch them first.
 *
 * Prints one JSON line per pattern and message size. us is the time of one exchange on rank 0 without the writing, the
 * median of several samples. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include "mpi_bench.h"

enum { kTag = 7, kWarmUp = 20, kLeft = 0, kRight = 1 };

static const long kSizes[] = {8, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
static const int kSizeCount = sizeof kSizes / sizeof kSizes[0];

struct place {
  int rank;
  int ranks;
  int peers[2]; /* left and right */
  char *out[2]; /* to each of them */
  char *in[2];
};

static void ring(const struct place *at, int bytes) {
  MPI_Sendrecv(at->out[kRight], bytes, MPI_BYTE, at->peers[kRight], kTag, at->in[kLeft], bytes, MPI_BYTE,
               at->peers[kLeft], kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pairs(const struct place *at, int bytes) {
  const int peer = at->rank ^ 1;
  if (peer >= at->ranks) return;
  if (at->rank < peer) MPI_Send(at->out[kRight], bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
  MPI_Recv(at->in[kLeft], bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (at->rank > peer) MPI_Send(at->out[kRight], bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
}

/* With two ranks both neighbours are the same one: the tag tells the messages apart. */
static void halo(const struct place *at, int bytes) {
  MPI_Request requests[4];
  for (int side = kLeft; side <= kRight; ++side)
    MPI_Irecv(at->in[side], bytes, MPI_BYTE, at->peers[side], kTag + side, MPI_COMM_WORLD, &requests[side]);
  for (int side = kLeft; side <= kRight; ++side)
    MPI_Isend(at->out[side], bytes, MPI_BYTE, at->peers[side], kTag + 1 - side, MPI_COMM_WORLD, &requests[2 + side]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

struct pattern {
  const char *name;
  void (*exchange)(const struct place *at, int bytes);
  int sides; /* buffers to write, and to read */
  int reads;
};

static const struct pattern kPatterns[] = {{"ring", ring, 1, 0},        {"pairs", pairs, 1, 0},
                                           {"halo", halo, 2, 0},        {"ring-read", ring, 1, 1},
                                           {"pairs-read", pairs, 1, 1}, {"halo-read", halo, 2, 1}};
static const int kPatternCount = sizeof kPatterns / sizeof kPatterns[0];

static volatile long g_read;

static void read_all(const char *from, long bytes) {
  const long *const words = (const long *)from;
  long sum = 0;
  for (long i = 0; i < bytes / (long)sizeof *words; ++i) sum += words[i];
  g_read = sum;
}

/* Time of `iterations` exchanges in us. */
static double exchanges(const struct pattern *pattern, const struct place *at, long bytes, long iterations) {
  double us = 0;
  for (long i = 0; i < iterations; ++i) {
    for (int side = 0; side < pattern->sides; ++side) memset(at->out[kRight - side], (int)(i & 127), (size_t)bytes);
    const double start = bench_now_us();
    pattern->exchange(at, (int)bytes);
    for (int side = 0; pattern->reads && side < pattern->sides; ++side) read_all(at->in[side], bytes);
    us += bench_now_us() - start;
  }
  return us;
}

static void measure(const struct pattern *pattern, const struct place *at, const struct bench_plan *plan, long bytes) {
  const double warm_up = exchanges(pattern, at, bytes, kWarmUp);
  long iterations = bench_iterations(plan, warm_up / kWarmUp);
  MPI_Bcast(&iterations, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  double samples[kMaxRepetitions];
  for (int i = 0; i < plan->repetitions; ++i)
    samples[i] = exchanges(pattern, at, bytes, iterations) / (double)iterations;
  if (at->rank != 0) return;
  const double us = bench_median(samples, plan->repetitions);
  printf("{\"bench\":\"exchange\",\"op\":\"%s\",\"bytes\":%ld,\"us\":%.4f}\n", pattern->name, bytes, us);
  fflush(stdout);
}

static int run(int rank, const struct bench_plan *plan, long max_bytes) {
  struct place at = {.rank = rank};
  MPI_Comm_size(MPI_COMM_WORLD, &at.ranks);
  if (at.ranks < 2) {
    fprintf(stderr, "mpi_exchange: needs 2 ranks\n");
    return 1;
  }
  at.peers[kLeft] = (rank + at.ranks - 1) % at.ranks;
  at.peers[kRight] = (rank + 1) % at.ranks;
  for (int side = 0; side < 2; ++side) {
    at.out[side] = bench_buffer((size_t)kSizes[kSizeCount - 1]);
    at.in[side] = bench_buffer((size_t)kSizes[kSizeCount - 1]);
  }
  for (int p = 0; p < kPatternCount; ++p)
    for (int i = 0; i < kSizeCount; ++i)
      if (kSizes[i] <= max_bytes) measure(&kPatterns[p], &at, plan, kSizes[i]);
  for (int side = 0; side < 2; ++side) {
    free(at.out[side]);
    free(at.in[side]);
  }
  return 0;
}

int main(int argc, char **argv) {
  return bench_main_by_size(argc, argv, "mpi_exchange",
                            "Exchanges between neighbours; one JSON line per pattern and message size.",
                            kSizes[kSizeCount - 1], run);
}
