#include "operation.hpp"

#include <algorithm>

#include "../object/call.hpp"

namespace detmpi {

bool Operation::over() const {
  return std::ranges::all_of(parts_, [](const Request& part) {
    return part.complete && !part.ack_due && (!part.ends_at_its_time() || part.stamp <= g_clock);
  });
}

namespace {

Request& make_request(OperationPtr operation, Comm& comm, MPI_Request* handle) {
  Request& request = request_new();
  comm_retain(comm);
  request.kind = RequestKind::kOperation;
  request.comm = &comm;
  request.operation = std::move(operation);
  *handle = request.handle;
  return request;
}

}  // namespace

void operation_start(OperationPtr operation, Comm& comm, MPI_Request* handle) {
  Request& request = make_request(std::move(operation), comm, handle);
  request.post = g_clock;
  request.operation->start();
}

void operation_keep(OperationPtr operation, Comm& comm, MPI_Request* handle) {
  Request& request = make_request(std::move(operation), comm, handle);
  request.persistent = true;
  request.active = false;
}

namespace {

void forget_what_is_over() {
  g_engine.delete_late();  // it knows of none that is over
  std::erase_if(g_given_up, [](const GivenUp& given_up) {
    if (!given_up.operation->over()) return false;
    comm_release(*given_up.comm);
    return true;
  });
}

}  // namespace

void operation_give_up(OperationPtr operation, Comm& comm) {
  comm_retain(comm);
  if (operation->freeable()) {
    for (Request& part : operation->parts()) g_engine.let_go_part(part);
  }
  g_given_up.push_back({std::move(operation), &comm});
  forget_what_is_over();
}

// As MPI_Wait does. Of an operation that could not be freed while it was under way nothing is.
void operations_complete(Comm& comm) {
  for (GivenUp& given_up : g_given_up) {
    if (given_up.comm != &comm || !given_up.operation->freeable()) continue;
    Request request;
    request.kind = RequestKind::kOperation;
    request.comm = &comm;
    request.operation = std::move(given_up.operation);
    g_engine.block_until_complete(request);
    (void)p2p_status(request, MPI_STATUS_IGNORE);
    given_up.operation = std::move(request.operation);
  }
  forget_what_is_over();
}

}  // namespace detmpi
