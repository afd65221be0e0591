#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "copies.h"

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
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

/* Of memcpy; the least that one of them took counts. */
static void time_copy(void* to, const void* from, size_t size, clockid_t clock, double* best) {
  const double begin = seconds_of(clock);
  memcpy(to, from, size);
  __asm__ volatile("" : : "r"(to) : "memory");
  const double rate = (double)size / (seconds_of(clock) - begin);
  if (rate > *best) *best = rate;
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

enum { LEAST = 16 << 10, MOST = 512 << 10, TIMES = 50, DONE = -1 };
struct meeting {
  _Atomic int turn; /* of the writer 0, of the reader 1; or DONE */
  char bytes[MOST];
};

/* The turn at its end, which is not `mine` if the other one has given up. */
static int await_turn(struct meeting* meeting, int mine) {
  int turn = 0;
  while ((turn = atomic_load(&meeting->turn)) != mine && turn != DONE) sched_yield();
  return turn;
}

static void write_by_turns(struct meeting* meeting) {
  for (size_t size = LEAST; size <= MOST; size *= 2) {
    for (int i = 0; i < TIMES; ++i) {
      if (await_turn(meeting, 0) == DONE) return;
      memset(meeting->bytes, i, size);
      atomic_store(&meeting->turn, 1);
    }
  }
}

static double read_by_turns(struct meeting* meeting) {
  double best = 0;
  char* to = calloc(1, MOST);
  for (size_t size = LEAST; to != NULL && size <= MOST; size *= 2) {
    for (int i = 0; i < TIMES; ++i) {
      await_turn(meeting, 1);
      time_copy(to, meeting->bytes, size, CLOCK_MONOTONIC, &best);
      atomic_store(&meeting->turn, 0);
    }
  }
  atomic_store(&meeting->turn, DONE);
  free(to);
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

static struct meeting* open_meeting(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0) return NULL;
  const int sized = ftruncate(file, sizeof(struct meeting)) == 0;
  void* memory = sized ? mmap(NULL, sizeof(struct meeting), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
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
  struct meeting* meeting = rank < 2 ? open_meeting(path) : NULL;
  int there = rank >= 2 || (meeting != NULL && stay_on_core(rank)), all_there = 0;
  PMPI_Allreduce(&there, &all_there, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  double rate = 0;
  if (all_there && rank == 0) write_by_turns(meeting);
  if (all_there && rank == 1) rate = read_by_turns(meeting);
  PMPI_Barrier(MPI_COMM_WORLD);
  if (meeting != NULL) munmap(meeting, sizeof *meeting);
  return rate;
}
