// The part of MPI that the programs of this folder use, over channels of SPMC memory: how DetMPI sent its messages in
// paper 004, in any of the modes that the paper compares. For measuring these modes by whole programs; DetMPI itself
// has left channels behind. Receives name their source, and whatever is wrong ends the job with a message.
//
// The names and meanings are those of MPI, but that every send waits once its receiver is 32 MiB behind. messages.hpp
// tells how messages go.
#pragma once

#include <cstddef>

using MPI_Comm = int;
inline constexpr MPI_Comm MPI_COMM_NULL = -1;
inline constexpr MPI_Comm MPI_COMM_WORLD = 0;

enum MPI_Datatype { MPI_INT, MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX };
enum MPI_Op { MPI_SUM, MPI_MAX, MPI_MIN };

namespace channels {
struct Receive;
}
// A receive that is pending; sends are complete when they return.
using MPI_Request = channels::Receive*;
inline constexpr MPI_Request MPI_REQUEST_NULL = nullptr;

struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  size_t bytes;
};
inline constexpr MPI_Status* MPI_STATUS_IGNORE = nullptr;
inline constexpr MPI_Status* MPI_STATUSES_IGNORE = nullptr;

inline constexpr int MPI_SUCCESS = 0;
inline constexpr int MPI_ANY_SOURCE = -2;  // refused

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize();
double MPI_Wtime();

int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part);
int MPI_Comm_free(MPI_Comm* comm);

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request);
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scatterv(const void* in, const int counts[], const int starts[], MPI_Datatype in_type, void* out, int count,
                 MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Gatherv(const void* in, int count, MPI_Datatype in_type, void* out, const int counts[], const int starts[],
                MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int count, MPI_Datatype type,
                 MPI_Comm comm);
int MPI_Alltoallv(const void* in, const int in_counts[], const int in_starts[], MPI_Datatype in_type, void* out,
                  const int counts[], const int starts[], MPI_Datatype type, MPI_Comm comm);
