/* Counts the MPI calls of a program, and the processor time between them, by the profiling interface of MPI: a library
 * to be preloaded into every rank, built once per MPI library. When rank 0 calls MPI_Finalize it appends one line of
 * JSON to the file that the environment variable NPB_COUNTERS names: sums over all ranks, and of the time also the
 * greatest.
 *
 * A message is one that the program sends from point to point; what collective operations send inside does not count.
 * Their bytes are those that ranks hand in (of a scatter: that they get). A wildcard is a receive or probe from
 * MPI_ANY_SOURCE, a test a call whose outcome the order of messages decides. For C and C++ programs of one thread per
 * rank, without persistent requests. Some libraries also have performance variables (MPI_T) of use here.
 *
 * If the environment variable NPB_TRACE names a folder, each rank leaves there what it did when (trace.h), and rank 0
 * also says how fast ranks can copy (copies.h). */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "copies.h"
#include "trace.h"

enum { MESSAGES, BYTES, RECEIVES, WILDCARDS, TESTS, COLLECTIVES, COLLECTIVE_BYTES, COUNTERS };
static const char* const names[COUNTERS] = {
    "messages", "bytes", "receives", "wildcards", "tests", "collectives", "collective_bytes",
};
static long long counts[COUNTERS];

/* Performance variables of DetMPI: counters of unsigned long long. */
static const char* const variables[] = {"clock", "extra_ticks", "messages_taken", "control_messages",
                                        "waits", "sleeps"};
enum { VARIABLES = sizeof variables / sizeof *variables };
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[VARIABLES];
static int has_variable[VARIABLES];

static long long bytes_of(long long count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * size;
}

static void count_message(int count, MPI_Datatype type, int destination) {
  if (destination == MPI_PROC_NULL) return;
  ++counts[MESSAGES];
  counts[BYTES] += bytes_of(count, type);
}

static void count_receive(int source) {
  if (source == MPI_PROC_NULL) return;
  ++counts[RECEIVES];
  if (source == MPI_ANY_SOURCE) ++counts[WILDCARDS];
}

static void count_collective(long long count, MPI_Datatype type) {
  ++counts[COLLECTIVES];
  if (count > 0) counts[COLLECTIVE_BYTES] += bytes_of(count, type);
}

static int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

/* --- the program's own time --- */

/* Processor time of this rank between its MPI calls, those that are wrapped here, in ns; and what it was at the first
 * and the latest MPI_Wtime, between which the benchmarks time themselves. */
static long long own_ns, own_since, own_first, own_latest;
static int timed;

static long long processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1000000000LL * now.tv_sec + now.tv_nsec;
}

static void enter_call(void) { own_ns += processor_ns() - own_since; }

static int leave_call(int code) {
  own_since = processor_ns();
  return code;
}

/* With what is to be traced. */
#define TIMED(call) (enter_call(), leave_call(call))
#define TRACED(event, call) (enter_call(), event, leave_call(call))

double MPI_Wtime(void) {
  enter_call();
  if (!timed) {
    own_first = own_ns;
    trace_begin(own_ns);
  } else {
    trace_end(own_ns);
  }
  timed = 1;
  own_latest = own_ns;
  leave_call(MPI_SUCCESS);
  return PMPI_Wtime();
}

/* --- point to point --- */

#define BLOCKING_SEND(Name)                                                                          \
  int MPI_##Name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    count_message(count, type, to);                                                                  \
    return TRACED(trace_send(own_ns, to, tag, bytes_of(count, type), comm),                          \
                  PMPI_##Name(buffer, count, type, to, tag, comm));                                  \
  }
#define STARTED_SEND(Name)                                                                         \
  int MPI_##Name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    count_message(count, type, to);                                                                \
    return TRACED(trace_send(own_ns, to, tag, bytes_of(count, type), comm),                        \
                  PMPI_##Name(buffer, count, type, to, tag, comm, request));                       \
  }
BLOCKING_SEND(Send)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Bsend)
BLOCKING_SEND(Rsend)
STARTED_SEND(Isend)
STARTED_SEND(Issend)
STARTED_SEND(Ibsend)
STARTED_SEND(Irsend)

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  count_receive(from);
  return TRACED(trace_receive(own_ns, from, tag, comm, NULL), PMPI_Recv(buffer, count, type, from, tag, comm, status));
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  count_receive(from);
  enter_call();
  const int code = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  trace_receive(own_ns, from, tag, comm, request);
  return leave_call(code);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  count_message(out_count, out_type, to);
  count_receive(from);
  enter_call();
  trace_send(own_ns, to, out_tag, bytes_of(out_count, out_type), comm);
  trace_receive(own_ns, from, in_tag, comm, NULL);
  return leave_call(
      PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status));
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (from == MPI_ANY_SOURCE) ++counts[WILDCARDS];
  return TRACED(trace_give_up(), PMPI_Probe(from, tag, comm, status));
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (from == MPI_ANY_SOURCE) ++counts[WILDCARDS];
  ++counts[TESTS];
  return TRACED(trace_give_up(), PMPI_Iprobe(from, tag, comm, flag, status));
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return TRACED(trace_wait(own_ns, *request), PMPI_Wait(request, status));
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  enter_call();
  for (int i = 0; i < count; ++i) trace_wait(own_ns, requests[i]);
  return leave_call(PMPI_Waitall(count, requests, statuses));
}

/* --- tests --- */

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  ++counts[TESTS];
  return TRACED(trace_give_up(), PMPI_Test(request, flag, status));
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  ++counts[TESTS];
  return TRACED(trace_give_up(), PMPI_Testall(count, requests, flag, statuses));
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  ++counts[TESTS];
  return TRACED(trace_give_up(), PMPI_Testany(count, requests, index, flag, status));
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  ++counts[TESTS];
  return TRACED(trace_give_up(), PMPI_Testsome(count, requests, done, indices, statuses));
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  ++counts[TESTS];
  return TRACED(trace_give_up(), PMPI_Waitany(count, requests, index, status));
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  ++counts[TESTS];
  return TRACED(trace_give_up(), PMPI_Waitsome(count, requests, done, indices, statuses));
}

/* --- collective operations --- */

int MPI_Barrier(MPI_Comm comm) {
  count_collective(0, MPI_BYTE);
  return TRACED(trace_collective(own_ns, TRACE_ALL, -1, 0, comm), PMPI_Barrier(comm));
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  count_collective(rank == root ? count : 0, type);
  return TRACED(trace_collective(own_ns, TRACE_BY_ROOT, root, rank == root ? 0 : bytes_of(count, type), comm),
                PMPI_Bcast(buffer, count, type, root, comm));
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  count_collective(count, type);
  return TRACED(trace_collective(own_ns, TRACE_TO_ROOT, root, 0, comm),
                PMPI_Reduce(in, out, count, type, op, root, comm));
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_collective(count, type);
  return TRACED(trace_collective(own_ns, TRACE_ALL, -1, 0, comm), PMPI_Allreduce(in, out, count, type, op, comm));
}

int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
               int root, MPI_Comm comm) {
  count_collective(in == MPI_IN_PLACE ? 0 : in_count, in == MPI_IN_PLACE ? MPI_BYTE : in_type);
  return TRACED(trace_collective(own_ns, TRACE_TO_ROOT, root, 0, comm),
                PMPI_Gather(in, in_count, in_type, out, out_count, out_type, root, comm));
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm) {
  count_collective(in == MPI_IN_PLACE ? out_count : in_count, in == MPI_IN_PLACE ? out_type : in_type);
  return TRACED(trace_collective(own_ns, TRACE_ALL, -1, bytes_of((long long)out_count * size_of(comm), out_type), comm),
                PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm));
}

int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                int root, MPI_Comm comm) {
  count_collective(out == MPI_IN_PLACE ? 0 : out_count, out == MPI_IN_PLACE ? MPI_BYTE : out_type);
  return TRACED(trace_collective(own_ns, TRACE_BY_ROOT, root, 0, comm),
                PMPI_Scatter(in, in_count, in_type, out, out_count, out_type, root, comm));
}

int MPI_Scatterv(const void* in, const int in_counts[], const int starts[], MPI_Datatype in_type, void* out,
                 int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
  count_collective(out == MPI_IN_PLACE ? 0 : out_count, out == MPI_IN_PLACE ? MPI_BYTE : out_type);
  return TRACED(trace_collective(own_ns, TRACE_BY_ROOT, root, 0, comm),
                PMPI_Scatterv(in, in_counts, starts, in_type, out, out_count, out_type, root, comm));
}

int MPI_Gatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int starts[], MPI_Datatype out_type, int root, MPI_Comm comm) {
  count_collective(in == MPI_IN_PLACE ? 0 : in_count, in == MPI_IN_PLACE ? MPI_BYTE : in_type);
  return TRACED(trace_collective(own_ns, TRACE_TO_ROOT, root, 0, comm),
                PMPI_Gatherv(in, in_count, in_type, out, out_counts, starts, out_type, root, comm));
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                 MPI_Comm comm) {
  count_collective((long long)out_count * size_of(comm), out_type);
  return TRACED(trace_collective(own_ns, TRACE_ALL, -1, bytes_of((long long)out_count * size_of(comm), out_type), comm),
                PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm));
}

int MPI_Alltoallv(const void* in, const int in_counts[], const int in_starts[], MPI_Datatype in_type, void* out,
                  const int out_counts[], const int out_starts[], MPI_Datatype out_type, MPI_Comm comm) {
  long long count = 0;
  for (int rank = 0; rank < size_of(comm); ++rank) count += out_counts[rank];
  count_collective(count, out_type);
  return TRACED(trace_collective(own_ns, TRACE_ALL, -1, bytes_of(count, out_type), comm),
                PMPI_Alltoallv(in, in_counts, in_starts, in_type, out, out_counts, out_starts, out_type, comm));
}

/* --- start and end --- */

int MPI_Comm_free(MPI_Comm* comm) {
  trace_forget(*comm);
  return PMPI_Comm_free(comm);
}

static void start_variables(void) {
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return;
  if (MPI_T_pvar_session_create(&session) != MPI_SUCCESS) return;
  for (int i = 0; i < VARIABLES; ++i) {
    int index = 0, count = 0;
    if (MPI_T_pvar_get_index(variables[i], MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS) continue;
    if (MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count) != MPI_SUCCESS || count != 1) continue;
    has_variable[i] = MPI_T_pvar_start(session, handles[i]) == MPI_SUCCESS;
  }
}

static void append_line(const long long* sums, const unsigned long long* values, long long own_most, long long own_all,
                        const double rates[2]) {
  const char* path = getenv("NPB_COUNTERS");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  for (int i = 0; i < COUNTERS; ++i) fprintf(file, "%s\"%s\": %lld", i == 0 ? "{" : ", ", names[i], sums[i]);
  for (int i = 0; i < VARIABLES; ++i) {
    if (has_variable[i]) fprintf(file, ", \"%s\": %llu", variables[i], values[i]);
  }
  if (rates[0] > 0) fprintf(file, ", \"memory_bytes_per_s\": %.0f, \"cores_bytes_per_s\": %.0f", rates[0], rates[1]);
  fprintf(file, ", \"own_most_ns\": %lld, \"own_all_ns\": %lld}\n", own_most, own_all);
  fclose(file);
}

int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  start_variables();
  return code;
}

int MPI_Finalize(void) {
  unsigned long long mine[VARIABLES] = {0}, values[VARIABLES] = {0};
  long long sums[COUNTERS] = {0};
  int rank = 0;
  for (int i = 0; i < VARIABLES; ++i) {
    if (has_variable[i]) MPI_T_pvar_read(session, handles[i], &mine[i]);
  }
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(counts, sums, COUNTERS, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(mine, values, VARIABLES, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  const long long own = own_latest - own_first;
  long long own_most = 0, own_all = 0;
  PMPI_Reduce(&own, &own_most, 1, MPI_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&own, &own_all, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  double my_rates[2] = {0}, rates[2] = {0};
  const char* trace = getenv("NPB_TRACE");
  if (trace != NULL) {
    trace_write(trace);
    my_rates[0] = copy_rate_of_memory();
    my_rates[1] = copy_rate_between_cores(trace);
    PMPI_Reduce(my_rates, rates, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) append_line(sums, values, own_most, own_all, rates);
  return PMPI_Finalize();
}
