/* What the benchmark programs share: a clock, a median, the sizing of a measurement.
 *
 * The clock is the machine's, not MPI_Wtime: an MPI library may answer that one from logical time. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMaxRepetitions = 101 };

/* How long to measure. Set from the command line alike on every rank. */
struct bench_plan {
  int repetitions;     /* timed samples per case, of which the median counts */
  double sample_us;    /* how long one sample should take */
  long max_iterations; /* per sample */
};

static inline struct bench_plan bench_plan_default(void) {
  struct bench_plan plan = {11, 10000.0, 100000};
  return plan;
}

static inline struct bench_plan bench_plan_quick(void) {
  struct bench_plan plan = {5, 2000.0, 10000};
  return plan;
}

/* Microseconds since some fixed instant. */
static inline double bench_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static inline int bench_compare_double(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double bench_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, bench_compare_double);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* The iterations that fill one sample when one iteration takes `us`. */
static inline long bench_iterations(const struct bench_plan *plan, double us) {
  const double wanted = plan->sample_us / (us > 1e-3 ? us : 1e-3);
  if (wanted < 1.0) return 1;
  return wanted > (double)plan->max_iterations ? plan->max_iterations : (long)wanted;
}

/* Page aligned and touched, so that no page fault falls into a sample. Ends the program when out of memory.
 * Free it with free(). */
static inline void *bench_buffer(size_t bytes) {
  void *buffer = NULL;
  if (posix_memalign(&buffer, 4096, bytes > 0 ? bytes : 1) != 0) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  memset(buffer, 1, bytes > 0 ? bytes : 1);
  return buffer;
}

#endif
