#define _POSIX_C_SOURCE 200809L
#include "trace.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct event {
  int64_t own_ns; /* since the event before */
  int64_t bytes;
  int32_t kind, peer; /* rank in MPI_COMM_WORLD */
  uint32_t channel;   /* of messages: communicator and tag; else of the communicator */
  int32_t number;
};
_Static_assert(sizeof(struct event) == 32, "as critical_path.py reads it");

static struct event* events;
static size_t count, room;
static long long own_before;
static int tracing, given_up;

/* Receives that are posted and have not been waited for. */
enum { MOST_PENDING = 4096, MOST_COMMS = 64 };
static struct {
  MPI_Request request;
  int number;
} pending[MOST_PENDING];
static int pending_count, next_number;

/* Communicators that were used. Those of the same members have the same channel. */
static struct known {
  MPI_Comm comm;
  int size;
  int* world; /* rank in MPI_COMM_WORLD of each member */
  uint32_t channel;
} comms[MOST_COMMS];
static int comm_count;

void trace_give_up(void) { given_up = 1; }
static int goes_on(void) { return tracing && !given_up; }

static void add(long long own_ns, struct event event) {
  if (!goes_on()) return;
  if (count == room) {
    room = room == 0 ? 4096 : 2 * room;
    struct event* more = realloc(events, room * sizeof *events);
    if (more == NULL) {
      trace_give_up();
      return;
    }
    events = more;
  }
  event.own_ns = own_ns - own_before;
  own_before = own_ns;
  events[count++] = event;
}

static uint32_t mix(uint32_t hash, int value) { return (hash ^ (uint32_t)value) * 16777619u; }

/* The members, in `world`; without memory there is no trace. */
static void look_up_members(MPI_Comm comm, int size, int* world) {
  int* ranks = malloc((size_t)size * sizeof *ranks);
  if (ranks == NULL) {
    trace_give_up();
    return;
  }
  MPI_Group all, group;
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  PMPI_Comm_group(comm, &group);
  for (int i = 0; i < size; ++i) ranks[i] = i;
  PMPI_Group_translate_ranks(group, size, ranks, all, world);
  PMPI_Group_free(&group);
  PMPI_Group_free(&all);
  free(ranks);
}

/* NULL: there will be no trace. */
static const struct known* find(MPI_Comm comm) {
  for (int i = 0; i < comm_count; ++i) {
    if (comms[i].comm == comm) return &comms[i];
  }
  int size = 0;
  PMPI_Comm_size(comm, &size);
  int* world = comm_count < MOST_COMMS ? calloc((size_t)size, sizeof *world) : NULL;
  if (world == NULL) {
    trace_give_up();
    return NULL;
  }
  look_up_members(comm, size, world);
  struct known* known = &comms[comm_count++];
  *known = (struct known){.comm = comm, .size = size, .world = world, .channel = 2166136261u};
  for (int i = 0; i < size; ++i) known->channel = mix(known->channel, world[i]);
  return known;
}

void trace_forget(MPI_Comm comm) {
  for (int i = 0; i < comm_count; ++i) {
    if (comms[i].comm != comm) continue;
    free(comms[i].world);
    comms[i] = comms[--comm_count];
    return;
  }
}

static uint32_t channel_of(const struct known* known, int tag) { return mix(known->channel, tag); }

void trace_begin(long long own_ns) {
  tracing = getenv("NPB_TRACE") != NULL;
  own_before = own_ns;
}

void trace_end(long long own_ns) { add(own_ns, (struct event){.kind = TRACE_END}); }

void trace_send(long long own_ns, int to, int tag, long long bytes, MPI_Comm comm) {
  if (!goes_on() || to == MPI_PROC_NULL) return;
  const struct known* known = find(comm);
  if (known == NULL) return;
  add(own_ns,
      (struct event){.kind = TRACE_SEND, .peer = known->world[to], .channel = channel_of(known, tag), .bytes = bytes});
}

void trace_receive(long long own_ns, int from, int tag, MPI_Comm comm, const MPI_Request* request) {
  if (!goes_on() || from == MPI_PROC_NULL) return;
  if (from == MPI_ANY_SOURCE || tag == MPI_ANY_TAG || pending_count == MOST_PENDING) {
    trace_give_up();
    return;
  }
  const struct known* known = find(comm);
  if (known == NULL) return;
  const int number = next_number++;
  add(own_ns, (struct event){
                  .kind = TRACE_POST, .peer = known->world[from], .channel = channel_of(known, tag), .number = number});
  if (request == NULL) {
    add(own_ns, (struct event){.kind = TRACE_WAIT, .number = number});
    return;
  }
  pending[pending_count].request = *request;
  pending[pending_count++].number = number;
}

void trace_wait(long long own_ns, MPI_Request request) {
  for (int i = 0; i < pending_count; ++i) {
    if (pending[i].request != request) continue;
    add(own_ns, (struct event){.kind = TRACE_WAIT, .number = pending[i].number});
    pending[i] = pending[--pending_count];
    return;
  }
}

void trace_collective(long long own_ns, int kind, int root, long long bytes, MPI_Comm comm) {
  if (!goes_on()) return;
  const struct known* known = find(comm);
  if (known == NULL) return;
  const int peer = kind == TRACE_ALL ? -1 : known->world[root];
  add(own_ns, (struct event){.kind = kind, .peer = peer, .channel = known->channel, .bytes = bytes});
}

void trace_write(const char* folder) {
  if (!goes_on()) return;
  for (int i = 0; i < comm_count; ++i) {
    for (int member = 0; member < comms[i].size; ++member) {
      add(own_before,
          (struct event){.kind = TRACE_MEMBER, .peer = comms[i].world[member], .channel = comms[i].channel});
    }
  }
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, rank);
  FILE* file = fopen(path, "wb");
  if (file == NULL) return;
  const int whole = fwrite(events, sizeof *events, count, file) == count;
  if (fclose(file) != 0 || !whole) remove(path);
}
