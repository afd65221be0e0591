// Waiting for and testing requests.
//
// A standard, ready or buffered send is complete at its post as far as tests can see (LOGICAL-TIME section 4): a test
// of one that still waits for room waits for the room, so that its outcome does not depend on the load of the machine.
#include <base/sys.hpp>

#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "impl.hpp"
#include "p2p.hpp"

namespace detmpi {

void Engine::after_failed_test() {
  if (static_cast<unsigned>(ranks_) > cores_) spmc::base::yield_core();
  else spmc::base::cpu_relax();
}

namespace impl {
namespace {

// Null for a null handle and for an inactive request: nothing to wait for.
Request* pending(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  Request* request = request_from(handle);
  return request != nullptr && request->active ? request : nullptr;
}

int check_handles(int count, const MPI_Request handles[]) {
  for (int i = 0; i < count; ++i) {
    if (handles[i] != MPI_REQUEST_NULL && request_from(handles[i]) == nullptr) {
      return make_error(MPI_ERR_REQUEST, "request %d of %d is not a valid handle (0x%08x)", i, count,
                        static_cast<unsigned>(handles[i]));
    }
  }
  return MPI_SUCCESS;
}

// The request is complete: fills the status, and frees it or makes it inactive.
int conclude(Request& request, MPI_Request* handle, MPI_Status* status) {
  const int code = p2p_status(request, status);
  g_call.comm = request.comm;
  if (request.persistent) {
    request.active = false;
  } else {
    request_delete(request);
    *handle = MPI_REQUEST_NULL;
  }
  return code;
}

bool complete_at_post(const Request& r) { return r.kind == RequestKind::kSend && r.ack_id == 0; }

// One look; blocks only for sends that are complete at their post.
bool is_complete(Request& request) {
  if (!request.complete && complete_at_post(request)) {
    g_engine.withdraw(request);
    g_engine.block_until_complete(request);
  }
  return request.complete;
}

bool all_complete(int count, const MPI_Request handles[]) {
  for (int i = 0; i < count; ++i) {
    Request* request = pending(handles[i]);
    if (request != nullptr && !is_complete(*request)) return false;
  }
  return true;
}

int conclude_all(int count, MPI_Request handles[], MPI_Status statuses[]) {
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
    Request* request = pending(handles[i]);
    int code = MPI_SUCCESS;
    if (request == nullptr) empty_status(status, MPI_ANY_SOURCE);
    else code = conclude(*request, &handles[i], status);
    failed = failed || code != MPI_SUCCESS;
    if (wanted(status)) status->MPI_ERROR = code;
  }
  return failed ? make_error(MPI_ERR_IN_STATUS, "at least one request failed: see MPI_ERROR in the statuses")
                : MPI_SUCCESS;
}

// The lowest index of a complete request, -1 if none is, MPI_UNDEFINED if none is active.
int first_complete(int count, const MPI_Request handles[]) {
  int result = MPI_UNDEFINED;
  for (int i = 0; i < count; ++i) {
    Request* request = pending(handles[i]);
    if (request == nullptr) continue;
    if (is_complete(*request)) return i;
    result = -1;
  }
  return result;
}

int some(int count, MPI_Request handles[], int* outcount, int indices[], MPI_Status statuses[]) {
  *outcount = 0;
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    Request* request = pending(handles[i]);
    if (request == nullptr || !is_complete(*request)) continue;
    MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*outcount];
    const int code = conclude(*request, &handles[i], status);
    if (wanted(status)) status->MPI_ERROR = code;
    failed = failed || code != MPI_SUCCESS;
    indices[(*outcount)++] = i;
  }
  return failed ? make_error(MPI_ERR_IN_STATUS, "at least one request failed: see MPI_ERROR in the statuses")
                : MPI_SUCCESS;
}

}  // namespace

int wait(MPI_Request* handle, MPI_Status* status) {
  if (const int code = check_handles(1, handle); code != MPI_SUCCESS) return code;
  Request* request = pending(*handle);
  if (request == nullptr) {
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  if (!request->complete) g_engine.block_until_complete(*request);
  return conclude(*request, handle, status);
}

int test(MPI_Request* handle, int* flag, MPI_Status* status) {
  if (const int code = check_handles(1, handle); code != MPI_SUCCESS) return code;
  *flag = 1;
  Request* request = pending(*handle);
  if (request == nullptr) {
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  if (!request->complete) g_engine.poll_all();
  if (is_complete(*request)) return conclude(*request, handle, status);
  *flag = 0;
  g_engine.after_failed_test();
  return MPI_SUCCESS;
}

int waitall(int count, MPI_Request handles[], MPI_Status statuses[]) {
  if (const int code = check_handles(count, handles); code != MPI_SUCCESS) return code;
  for (int i = 0; i < count; ++i) {
    Request* request = pending(handles[i]);
    if (request != nullptr && !request->complete) g_engine.block_until_complete(*request);
  }
  return conclude_all(count, handles, statuses);
}

int testall(int count, MPI_Request handles[], int* flag, MPI_Status statuses[]) {
  if (const int code = check_handles(count, handles); code != MPI_SUCCESS) return code;
  g_engine.poll_all();
  *flag = all_complete(count, handles);
  if (*flag) return conclude_all(count, handles, statuses);
  g_engine.after_failed_test();
  return MPI_SUCCESS;
}

int waitany(int count, MPI_Request handles[], int* index, MPI_Status* status) {
  if (const int code = check_handles(count, handles); code != MPI_SUCCESS) return code;
  *index = first_complete(count, handles);
  if (*index == -1) {
    g_engine.block(Engine::kAnySource, nullptr, [&] { return (*index = first_complete(count, handles)) != -1; });
  }
  if (*index == MPI_UNDEFINED) {
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  return conclude(*pending(handles[*index]), &handles[*index], status);
}

int testany(int count, MPI_Request handles[], int* index, int* flag, MPI_Status* status) {
  if (const int code = check_handles(count, handles); code != MPI_SUCCESS) return code;
  g_engine.poll_all();
  *index = first_complete(count, handles);
  *flag = *index != -1;
  if (*index >= 0) return conclude(*pending(handles[*index]), &handles[*index], status);
  if (*flag) empty_status(status, MPI_ANY_SOURCE);
  else g_engine.after_failed_test();
  *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int waitsome(int count, MPI_Request handles[], int* outcount, int indices[], MPI_Status statuses[]) {
  if (const int code = check_handles(count, handles); code != MPI_SUCCESS) return code;
  int first = first_complete(count, handles);
  if (first == -1)
    g_engine.block(Engine::kAnySource, nullptr, [&] { return (first = first_complete(count, handles)) != -1; });
  if (first == MPI_UNDEFINED) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return some(count, handles, outcount, indices, statuses);
}

int testsome(int count, MPI_Request handles[], int* outcount, int indices[], MPI_Status statuses[]) {
  if (const int code = check_handles(count, handles); code != MPI_SUCCESS) return code;
  g_engine.poll_all();
  const int first = first_complete(count, handles);
  if (first == MPI_UNDEFINED) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  if (first == -1) g_engine.after_failed_test();
  return some(count, handles, outcount, indices, statuses);
}

int request_free(MPI_Request* handle) {
  if (const int code = check_handles(1, handle); code != MPI_SUCCESS) return code;
  if (*handle == MPI_REQUEST_NULL) return make_error(MPI_ERR_REQUEST, "MPI_REQUEST_NULL cannot be freed");
  Request& request = *request_from(*handle);
  *handle = MPI_REQUEST_NULL;
  if (request.complete || !request.active) request_delete(request);
  else request.detached = true;  // it stays posted, and frees itself
  return MPI_SUCCESS;
}

int request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  if (const int code = check_handles(1, &handle); code != MPI_SUCCESS) return code;
  Request* request = pending(handle);
  *flag = 1;
  if (request == nullptr) {
    empty_status(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
  }
  g_engine.poll_all();
  *flag = is_complete(*request);
  if (*flag) return p2p_status(*request, status);
  g_engine.after_failed_test();
  return MPI_SUCCESS;
}

int cancel(MPI_Request*) {
  return make_error(MPI_ERR_UNSUPPORTED_OPERATION, "MPI_Cancel is not supported yet: nothing was cancelled");
}

}  // namespace impl
}  // namespace detmpi
