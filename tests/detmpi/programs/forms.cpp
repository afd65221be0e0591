// Linked into a program that tests collective operations, it replaces those that block by their other forms, through
// the profiling interface: the program's checks are then checks of these. FORM 1: non-blocking; 2: persistent. The
// requests are completed in all the ways there are, in turns.
#include <mpi.h>

#include <cstdlib>

namespace {

unsigned g_calls = 0;

void poll(MPI_Request* request) {
  for (int done = 0; done == 0;) {
    if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) std::abort();
  }
}

int complete(MPI_Request* request) {
  int index = 0, count = 0;
  MPI_Status status;
  switch (g_calls++ % 6) {
    case 0: return MPI_Wait(request, &status);
    case 1: poll(request); return MPI_SUCCESS;
    case 2: return MPI_Waitany(1, request, &index, &status);
    case 3: return MPI_Waitall(1, request, &status);
    case 4: return MPI_Waitsome(1, request, &count, &index, &status);
    default:
      while (index == 0) MPI_Request_get_status(*request, &index, &status);
      return MPI_Wait(request, &status);
  }
}

// Twice, where the first run has left the input alone.
[[maybe_unused]] int run_persistent(int code, MPI_Request* request, bool in_place) {
  for (int run = 0; code == MPI_SUCCESS && run < (in_place ? 1 : 2); ++run) {
    code = MPI_Start(request);
    if (code == MPI_SUCCESS) code = complete(request);
  }
  MPI_Request_free(request);
  return code;
}

// Members start an operation equally often, and its root alone knows whether it is in place.
[[maybe_unused]] bool is_in_place_anywhere(const void* in, MPI_Comm comm) {
  int here = in == MPI_IN_PLACE ? 1 : 0, anywhere = 0;
  PMPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, comm);
  return anywhere != 0;
}

}  // namespace

#if FORM == 1
#define FORM_OF(name, iname, in_place, ...)             \
  MPI_Request request = MPI_REQUEST_NULL;               \
  const int code = PMPI_##iname(__VA_ARGS__, &request); \
  return code == MPI_SUCCESS ? complete(&request) : code;
#else
#define FORM_OF(name, iname, in_place, ...)                                  \
  MPI_Request request = MPI_REQUEST_NULL;                                    \
  const int code = PMPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
  return run_persistent(code, &request, in_place);
#endif

extern "C" {

int MPI_Barrier(MPI_Comm comm) { FORM_OF(Barrier, Ibarrier, false, comm) }

int MPI_Bcast(void* buf, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  FORM_OF(Bcast, Ibcast, false, buf, n, type, root, comm)
}

int MPI_Reduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  FORM_OF(Reduce, Ireduce, is_in_place_anywhere(in, comm), in, out, n, type, op, root, comm)
}

int MPI_Allreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  FORM_OF(Allreduce, Iallreduce, in == MPI_IN_PLACE, in, out, n, type, op, comm)
}

int MPI_Scan(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  FORM_OF(Scan, Iscan, in == MPI_IN_PLACE, in, out, n, type, op, comm)
}

int MPI_Exscan(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  FORM_OF(Exscan, Iexscan, in == MPI_IN_PLACE, in, out, n, type, op, comm)
}

int MPI_Gather(const void* in, int n, MPI_Datatype type, void* out, int m, MPI_Datatype to, int root, MPI_Comm comm) {
  FORM_OF(Gather, Igather, false, in, n, type, out, m, to, root, comm)
}

int MPI_Gatherv(const void* in, int n, MPI_Datatype type, void* out, const int m[], const int displs[], MPI_Datatype to,
                int root, MPI_Comm comm) {
  FORM_OF(Gatherv, Igatherv, false, in, n, type, out, m, displs, to, root, comm)
}

int MPI_Scatter(const void* in, int n, MPI_Datatype type, void* out, int m, MPI_Datatype to, int root, MPI_Comm comm) {
  FORM_OF(Scatter, Iscatter, false, in, n, type, out, m, to, root, comm)
}

int MPI_Scatterv(const void* in, const int n[], const int displs[], MPI_Datatype type, void* out, int m,
                 MPI_Datatype to, int root, MPI_Comm comm) {
  FORM_OF(Scatterv, Iscatterv, false, in, n, displs, type, out, m, to, root, comm)
}

int MPI_Allgather(const void* in, int n, MPI_Datatype type, void* out, int m, MPI_Datatype to, MPI_Comm comm) {
  FORM_OF(Allgather, Iallgather, false, in, n, type, out, m, to, comm)
}

int MPI_Allgatherv(const void* in, int n, MPI_Datatype type, void* out, const int m[], const int displs[],
                   MPI_Datatype to, MPI_Comm comm) {
  FORM_OF(Allgatherv, Iallgatherv, false, in, n, type, out, m, displs, to, comm)
}

int MPI_Alltoall(const void* in, int n, MPI_Datatype type, void* out, int m, MPI_Datatype to, MPI_Comm comm) {
  FORM_OF(Alltoall, Ialltoall, in == MPI_IN_PLACE, in, n, type, out, m, to, comm)
}

int MPI_Alltoallv(const void* in, const int n[], const int ndispls[], MPI_Datatype type, void* out, const int m[],
                  const int mdispls[], MPI_Datatype to, MPI_Comm comm) {
  FORM_OF(Alltoallv, Ialltoallv, in == MPI_IN_PLACE, in, n, ndispls, type, out, m, mdispls, to, comm)
}

int MPI_Alltoallw(const void* in, const int n[], const int ndispls[], const MPI_Datatype types[], void* out,
                  const int m[], const int mdispls[], const MPI_Datatype to[], MPI_Comm comm) {
  FORM_OF(Alltoallw, Ialltoallw, in == MPI_IN_PLACE, in, n, ndispls, types, out, m, mdispls, to, comm)
}

int MPI_Reduce_scatter(const void* in, void* out, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  FORM_OF(Reduce_scatter, Ireduce_scatter, in == MPI_IN_PLACE, in, out, n, type, op, comm)
}

int MPI_Reduce_scatter_block(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  FORM_OF(Reduce_scatter_block, Ireduce_scatter_block, in == MPI_IN_PLACE, in, out, n, type, op, comm)
}

}  // extern "C"
