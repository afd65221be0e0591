// MPI_Comm_disconnect: as MPI_Comm_free, once everything that the rank has started on the communicator is complete.
#include "../engine/operation.hpp"
#include "../object/call.hpp"
#include "comm_setup.hpp"
#include "impl.hpp"

#include <algorithm>
#include <vector>

namespace detmpi::impl {
namespace {

// The program learns that it is complete: no cancel can take back what has come.
void make_final(Request& request) {
  if (request.operation != nullptr) {
    for (Request& part : request.operation->parts()) make_final(part);
  } else if (request.ends_at_its_time()) {
    g_clock = std::max(g_clock, request.stamp);
    request.hand_over();
  }
}

}  // namespace

int comm_disconnect(MPI_Comm* handle) {
  Comm* comm = comm_from(*handle);
  if (const int error = check_may_be_freed(*comm); error != MPI_SUCCESS) return error;
  const auto is_started = [comm](const Request& r) { return r.in_use() && r.active && r.comm == comm; };
  std::vector<MPI_Request> pending;
  std::vector<Request*> freed;  // these do not go by themselves while they are waited for
  for (Request& request : request_pool()) {
    if (!is_started(request) || request.complete) continue;
    if (request.detached) {
      request_attach(request);
      freed.push_back(&request);
    }
    pending.push_back(request.handle);
  }
  g_engine.block_until_all_complete(pending);
  for (Request& request : request_pool()) {
    if (is_started(request)) make_final(request);
  }
  end_output_epoch();  // there may have been acknowledgements
  for (auto request = freed.rbegin(); request != freed.rend(); ++request) {
    request_detach(**request);
    g_engine.delete_detached(**request);
  }
  operations_complete(*comm);
  return comm_free(handle);
}

}  // namespace detmpi::impl
