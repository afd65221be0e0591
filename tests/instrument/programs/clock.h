/* What the programs share: the logical time that a piece of work takes. */
#ifndef CLOCK_H
#define CLOCK_H

#include <mpi.h>
#include <stdio.h>

static double clock_began;

static void begin(void) { clock_began = MPI_Wtime(); }

/* Microseconds since begin(), without the tick of this call. */
static long ticks(void) { return (long)((MPI_Wtime() - clock_began) * 1e6 + 0.5) - 1; }

static void report(const char* what) {
  const long t = ticks();
  printf("%s %ld\n", what, t);
}

#endif
