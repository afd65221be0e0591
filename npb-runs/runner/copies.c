#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "copies.h"

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One memcpy; `best`: bytes a second of the fastest so far. */
static void time_copy(void* to, const void* from, size_t size, clockid_t clock, double* best) {
  const double begin = seconds_of(clock);
  memcpy(to, from, size);
  __asm__ volatile("" : : "r"(to) : "memory");
  const double seconds = seconds_of(clock) - begin;
  if (seconds > 0 && (double)size / seconds > *best) *best = (double)size / seconds;
}

double copy_rate_of_memory(void) {
  enum { SIZE = 16 << 20, TIMES = 6 };
  char *from = calloc(1, SIZE), *to = calloc(1, SIZE);
  double best = 0;
  for (int i = 0; i < TIMES; ++i) {
    PMPI_Barrier(MPI_COMM_WORLD);
    if (from == NULL || to == NULL) continue;
    memset(from, i, SIZE);
    time_copy(to, from, SIZE, CLOCK_THREAD_CPUTIME_ID, &best);
  }
  free(from);
  free(to);
  return best;
}

enum { LEAST = 16 << 10, MOST = 512 << 10, TIMES = 50 };

/* Rank 0 writes, rank 1 copies, by turns: barriers part them, so that one sees what the other has done. */
static double copy_by_turns(int rank, char* shared, char* to) {
  double best = 0;
  for (size_t size = LEAST; size <= MOST; size *= 2) {
    for (int i = 0; i < TIMES; ++i) {
      if (rank == 0) memset(shared, i, size);
      PMPI_Barrier(MPI_COMM_WORLD);
      if (rank == 1) time_copy(to, shared, size, CLOCK_MONOTONIC, &best);
      PMPI_Barrier(MPI_COMM_WORLD);
    }
  }
  return best;
}

/* Each rank on another one of the cores, until the program ends. One that its launcher has bound to a core stays there.
 */
static int stay_on_core(int rank) {
  cpu_set_t usable, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return 0;
  int left = rank % CPU_COUNT(&usable);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &usable) || left-- > 0) continue;
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  return 0;
}

/* MOST bytes of the file; NULL if they cannot be had. */
static char* map_shared(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0) return NULL;
  void* memory = MAP_FAILED;
  if (ftruncate(file, MOST) == 0) memory = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

double copy_rate_between_cores(const char* folder) {
  int rank = 0, ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2 || ranks > sysconf(_SC_NPROCESSORS_ONLN)) return 0;
  char path[4096];
  snprintf(path, sizeof path, "%s/copies", folder);
  char* shared = map_shared(path);
  char* to = calloc(1, MOST);
  int ready = shared != NULL && to != NULL && stay_on_core(rank), all_ready = 0;
  PMPI_Allreduce(&ready, &all_ready, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  const double rate = all_ready ? copy_by_turns(rank, shared, to) : 0;
  if (shared != NULL) munmap(shared, MOST);
  free(to);
  return rate;
}
