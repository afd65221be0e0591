#include "general_request.hpp"

#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "impl.hpp"
#include "p2p.hpp"
#include "request.hpp"

namespace detmpi {
namespace {

int give_back(Request& request) {
  const int code = general_free(request);
  request_delete(request);
  return code;
}

}  // namespace

// The function always gets a status that it may write to.
int general_query(const Request& request, MPI_Status* status) {
  MPI_Status unwanted;
  if (!wanted(status)) status = &unwanted;
  empty_status(status, MPI_ANY_SOURCE);
  const CallbackScope scope;
  return request.general->query(request.general->extra, status);
}

int general_free(const Request& request) {
  const CallbackScope scope;
  return request.general->free(request.general->extra);
}

int general_cancel(const Request& request) {
  const CallbackScope scope;
  return request.general->cancel(request.general->extra, request.complete);
}

int general_give_up(Request& request) {
  if (request.complete) return give_back(request);
  request.detached = true;  // it keeps its handle, by which MPI_Grequest_complete ends it
  return MPI_SUCCESS;
}

namespace impl {

int grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) {
  Request& made = request_new();
  made.kind = RequestKind::kGeneral;
  made.general = std::make_unique<GeneralRequest>(GeneralRequest{query_fn, free_fn, cancel_fn, extra_state});
  made.post = g_clock;
  *request = made.handle;
  return MPI_SUCCESS;
}

int grequest_complete(MPI_Request request) {
  Request* found = request_from(request);
  if (found == nullptr || found->kind != RequestKind::kGeneral) {
    return make_error(MPI_ERR_REQUEST, "0x%08x is not a generalized request", static_cast<unsigned>(request));
  }
  if (found->complete) return make_error(MPI_ERR_REQUEST, "the request is complete already");
  found->complete = found->matched = true;
  found->stamp = g_clock;
  g_engine.note_change();
  return found->detached ? give_back(*found) : MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
