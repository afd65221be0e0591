// MPI_Comm_disconnect: as MPI_Comm_free, once everything that the rank has started on the communicator is complete.
#include "../engine/engine.hpp"
#include "impl.hpp"

#include <vector>

namespace detmpi::impl {

int comm_disconnect(MPI_Comm* handle) {
  const Comm* comm = comm_from(*handle);
  std::vector<MPI_Request> pending;
  for (const Request& request : request_pool()) {
    if (request.handle != MPI_REQUEST_NULL && request.comm == comm && request.active) pending.push_back(request.handle);
  }
  g_engine.block_until_all_complete(pending);
  return comm_free(handle);
}

}  // namespace detmpi::impl
