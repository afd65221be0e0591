/* Counts the MPI calls of a program, by the profiling interface of MPI: a library to be preloaded into every rank,
 * built once per MPI library. When rank 0 calls MPI_Finalize it appends one line of JSON to the file that the
 * environment variable NPB_COUNTERS names: sums over all ranks.
 *
 * A message is one that the program sends from point to point; what collective operations send inside does not count.
 * Their bytes are those that ranks hand in (of a scatter: that they get). A wildcard is a receive or probe from
 * MPI_ANY_SOURCE, a test a call whose outcome the order of messages decides. For C and C++ programs of one thread per
 * rank, without persistent requests. Some libraries also have performance variables (MPI_T) of use here. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

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

/* --- point to point --- */

#define BLOCKING_SEND(Name)                                                                          \
  int MPI_##Name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    count_message(count, type, to);                                                                  \
    return PMPI_##Name(buffer, count, type, to, tag, comm);                                          \
  }
#define STARTED_SEND(Name)                                                                         \
  int MPI_##Name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    count_message(count, type, to);                                                                \
    return PMPI_##Name(buffer, count, type, to, tag, comm, request);                               \
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
  return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  count_receive(from);
  return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  count_message(out_count, out_type, to);
  count_receive(from);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (from == MPI_ANY_SOURCE) ++counts[WILDCARDS];
  return PMPI_Probe(from, tag, comm, status);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (from == MPI_ANY_SOURCE) ++counts[WILDCARDS];
  ++counts[TESTS];
  return PMPI_Iprobe(from, tag, comm, flag, status);
}

/* --- tests --- */

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  ++counts[TESTS];
  return PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  ++counts[TESTS];
  return PMPI_Testall(count, requests, flag, statuses);
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  ++counts[TESTS];
  return PMPI_Testany(count, requests, index, flag, status);
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  ++counts[TESTS];
  return PMPI_Testsome(count, requests, done, indices, statuses);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  ++counts[TESTS];
  return PMPI_Waitany(count, requests, index, status);
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  ++counts[TESTS];
  return PMPI_Waitsome(count, requests, done, indices, statuses);
}

/* --- collective operations --- */

int MPI_Barrier(MPI_Comm comm) {
  count_collective(0, MPI_BYTE);
  return PMPI_Barrier(comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  count_collective(rank == root ? count : 0, type);
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  count_collective(count, type);
  return PMPI_Reduce(in, out, count, type, op, root, comm);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_collective(count, type);
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
               int root, MPI_Comm comm) {
  count_collective(in == MPI_IN_PLACE ? 0 : in_count, in == MPI_IN_PLACE ? MPI_BYTE : in_type);
  return PMPI_Gather(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm) {
  count_collective(in == MPI_IN_PLACE ? out_count : in_count, in == MPI_IN_PLACE ? out_type : in_type);
  return PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                int root, MPI_Comm comm) {
  count_collective(out == MPI_IN_PLACE ? 0 : out_count, out == MPI_IN_PLACE ? MPI_BYTE : out_type);
  return PMPI_Scatter(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Scatterv(const void* in, const int in_counts[], const int starts[], MPI_Datatype in_type, void* out,
                 int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
  count_collective(out == MPI_IN_PLACE ? 0 : out_count, out == MPI_IN_PLACE ? MPI_BYTE : out_type);
  return PMPI_Scatterv(in, in_counts, starts, in_type, out, out_count, out_type, root, comm);
}

int MPI_Gatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int starts[], MPI_Datatype out_type, int root, MPI_Comm comm) {
  count_collective(in == MPI_IN_PLACE ? 0 : in_count, in == MPI_IN_PLACE ? MPI_BYTE : in_type);
  return PMPI_Gatherv(in, in_count, in_type, out, out_counts, starts, out_type, root, comm);
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                 MPI_Comm comm) {
  count_collective((long long)out_count * size_of(comm), out_type);
  return PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Alltoallv(const void* in, const int in_counts[], const int in_starts[], MPI_Datatype in_type, void* out,
                  const int out_counts[], const int out_starts[], MPI_Datatype out_type, MPI_Comm comm) {
  long long count = 0;
  for (int rank = 0; rank < size_of(comm); ++rank) count += out_counts[rank];
  count_collective(count, out_type);
  return PMPI_Alltoallv(in, in_counts, in_starts, in_type, out, out_counts, out_starts, out_type, comm);
}

/* --- start and end --- */

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

static void append_line(const long long* sums, const unsigned long long* values) {
  const char* path = getenv("NPB_COUNTERS");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  for (int i = 0; i < COUNTERS; ++i) fprintf(file, "%s\"%s\": %lld", i == 0 ? "{" : ", ", names[i], sums[i]);
  for (int i = 0; i < VARIABLES; ++i) {
    if (has_variable[i]) fprintf(file, ", \"%s\": %llu", variables[i], values[i]);
  }
  fprintf(file, "}\n");
  fclose(file);
}

int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  start_variables();
  return code;
}

int MPI_Finalize(void) {
  unsigned long long own[VARIABLES] = {0}, values[VARIABLES] = {0};
  long long sums[COUNTERS] = {0};
  int rank = 0;
  for (int i = 0; i < VARIABLES; ++i) {
    if (has_variable[i]) MPI_T_pvar_read(session, handles[i], &own[i]);
  }
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(counts, sums, COUNTERS, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(own, values, VARIABLES, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) append_line(sums, values);
  return PMPI_Finalize();
}
