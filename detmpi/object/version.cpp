// Versions, memory and addresses: calls that need neither a communicator nor communication.
#include <cstdio>
#include <cstdlib>

#include "errors.hpp"
#include "impl.hpp"
#include "info.hpp"

#ifndef DETMPI_VERSION_STRING
#define DETMPI_VERSION_STRING "0.1.0"
#endif

namespace detmpi::impl {

int get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int get_library_version(char* version, int* resultlen) {
  *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "DetMPI %s (deterministic MPI %d.%d of DLinux)",
                        DETMPI_VERSION_STRING, MPI_VERSION, MPI_SUBVERSION);
  return MPI_SUCCESS;
}

int get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

// Through unsigned arithmetic: a wrap is no error here.
MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<unsigned long>(base) + static_cast<unsigned long>(disp));
}

MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<unsigned long>(addr1) - static_cast<unsigned long>(addr2));
}

int alloc_mem(MPI_Aint size, Info*, void* baseptr) {
  if (size < 0) return make_error(MPI_ERR_ARG, "size is %ld (must not be negative)", size);
  constexpr size_t kLine = 64;
  const size_t bytes = (static_cast<size_t>(size) + kLine - 1) / kLine * kLine;
  void* memory = aligned_alloc(kLine, bytes == 0 ? kLine : bytes);
  if (memory == nullptr) return make_error(MPI_ERR_NO_MEM, "%ld bytes could not be allocated", size);
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

int free_mem(void* base) {
  free(base);
  return MPI_SUCCESS;
}

int pcontrol(int) { return MPI_SUCCESS; }

}  // namespace detmpi::impl
