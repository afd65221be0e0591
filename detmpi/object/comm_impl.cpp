// Calls on communicators that need no communication.
#include <algorithm>
#include <cstring>

#include "comm.hpp"
#include "errors.hpp"
#include "impl.hpp"

namespace detmpi::impl {

int comm_size(Comm& comm, int* size) {
  *size = comm.size;
  return MPI_SUCCESS;
}

int comm_rank(Comm& comm, int* rank) {
  *rank = comm.rank;
  return MPI_SUCCESS;
}

int comm_test_inter(Comm& comm, int* flag) {
  *flag = comm.inter;
  return MPI_SUCCESS;
}

namespace {

// Of the groups; the order of the constants is from the most alike to the least.
int compare_members(std::vector<int> a, std::vector<int> b) {
  if (a == b) return MPI_CONGRUENT;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b ? MPI_SIMILAR : MPI_UNEQUAL;
}

}  // namespace

int comm_compare(Comm& comm1, Comm& comm2, int* result) {
  if (&comm1 == &comm2) {
    *result = MPI_IDENT;
  } else if (comm1.inter != comm2.inter) {
    *result = MPI_UNEQUAL;
  } else {
    *result = std::max(compare_members(comm1.world_rank, comm2.world_rank),
                       compare_members(comm1.remote_world_rank, comm2.remote_world_rank));
  }
  return MPI_SUCCESS;
}

int comm_set_name(Comm& comm, const char* comm_name) {
  comm.name.assign(comm_name, strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int comm_get_name(Comm& comm, char* comm_name, int* resultlen) {
  memcpy(comm_name, comm.name.c_str(), comm.name.size() + 1);
  *resultlen = static_cast<int>(comm.name.size());
  return MPI_SUCCESS;
}

// No hint is known: all are ignored, and none is in use.
int comm_set_info(Comm&, Info* info) {
  if (info == nullptr) return make_error(MPI_ERR_INFO, "info is MPI_INFO_NULL");
  return MPI_SUCCESS;
}

int comm_get_info(Comm&, MPI_Info* info_used) {
  *info_used = info_make(nullptr);
  return MPI_SUCCESS;
}

int comm_get_parent(MPI_Comm* parent) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
