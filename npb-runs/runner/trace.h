/* What each rank did in the timed part of a run, for runner/critical_path.py: the processor time of the program's own
 * code up to each MPI call, and on whom the call depends. Kept in memory, written at the end, a file for each rank;
 * only where the environment variable NPB_TRACE is set. */
#pragma once

#include <mpi.h>

enum {
  TRACE_SEND, /* peer, channel, bytes */
  TRACE_POST, /* a receive: peer, channel; number: its own */
  TRACE_WAIT, /* number: of the receive; not before its message is there */
  TRACE_ALL,  /* a collective operation in which all wait for all; channel: of the communicator; bytes: for this rank */
  TRACE_BY_ROOT, /* all wait for the root, the peer */
  TRACE_TO_ROOT, /* the root, the peer, waits for all */
  TRACE_MEMBER,  /* of the communicator `channel`: the peer */
  TRACE_END      /* of the timed part; the latest counts */
};

/* `own_ns` of all: the program's own time of this rank so far. */
void trace_begin(long long own_ns);
void trace_end(long long own_ns);
void trace_send(long long own_ns, int to, int tag, long long bytes, MPI_Comm comm);
/* `request` is NULL where the call waits itself. */
void trace_receive(long long own_ns, int from, int tag, MPI_Comm comm, const MPI_Request* request);
void trace_wait(long long own_ns, MPI_Request request);
void trace_collective(long long own_ns, int kind, int root, long long bytes, MPI_Comm comm);
void trace_forget(MPI_Comm comm); /* before it is freed */
/* What was called has no place in a trace: there will be none. */
void trace_give_up(void);
void trace_write(const char* folder);
