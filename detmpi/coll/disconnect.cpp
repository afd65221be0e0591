// MPI_Comm_disconnect: as MPI_Comm_free, once everything that the rank has started on the communicator is complete.
#include "../engine/operation.hpp"
#include "impl.hpp"

#include <utility>
#include <vector>

namespace detmpi::impl {

int comm_disconnect(MPI_Comm* handle) {
  Comm* comm = comm_from(*handle);
  std::vector<MPI_Request> pending, freed;  // those that were freed do not end by themselves while they are waited for
  for (Request& request : request_pool()) {
    const bool under_way = request.handle != MPI_REQUEST_NULL && request.active && !request.complete;
    if (!under_way || request.comm != comm) continue;
    pending.push_back(request.handle);
    if (std::exchange(request.detached, false)) freed.push_back(request.handle);
  }
  g_engine.block_until_all_complete(pending);
  for (const MPI_Request request : freed) g_engine.delete_detached(*request_from(request));
  operations_complete(*comm);
  return comm_free(handle);
}

}  // namespace detmpi::impl
