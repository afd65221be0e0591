// MPI_Comm_disconnect: as MPI_Comm_free, once everything that the rank has started on the communicator is complete.
#include "../engine/operation.hpp"
#include "impl.hpp"

#include <vector>

namespace detmpi::impl {

int comm_disconnect(MPI_Comm* handle) {
  Comm* comm = comm_from(*handle);
  std::vector<MPI_Request> pending;
  std::vector<Request*> freed;  // these do not go by themselves while they are waited for
  for (Request& request : request_pool()) {
    const bool under_way = request.in_use() && request.active && !request.complete;
    if (!under_way || request.comm != comm) continue;
    if (request.detached) {
      request_attach(request);
      freed.push_back(&request);
    }
    pending.push_back(request.handle);
  }
  g_engine.block_until_all_complete(pending);
  for (auto request = freed.rbegin(); request != freed.rend(); ++request) {
    request_detach(**request);
    g_engine.delete_detached(**request);
  }
  operations_complete(*comm);
  return comm_free(handle);
}

}  // namespace detmpi::impl
