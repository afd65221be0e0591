// MPI's sends. Ready sends are standard sends; a buffered send copies the message only if it finds no room.
#include "../object/errors.hpp"
#include "impl.hpp"
#include "operation.hpp"
#include "p2p.hpp"

#include <cstdlib>

namespace detmpi::impl {
namespace {

struct AttachedBuffer {
  void* base = nullptr;
  MPI_Count size = 0;
};
AttachedBuffer g_attached_buffer;

int blocking(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm, SendMode mode) {
  if (dest != MPI_PROC_NULL) p2p_send(buf, count, type, comm, {dest, tag, user_context(comm)}, mode);
  return MPI_SUCCESS;
}

void retain(Request& request, Comm& comm) {
  request.comm = &comm;
  comm_retain(comm);
}

Request& complete_request(Comm& comm, RequestKind kind) {
  Request& request = request_new();
  retain(request, comm);
  p2p_start_with_nobody(request, kind);
  return request;
}

// Copies the message into memory of the request's own: the program may reuse its buffer at once.
void start_buffered(Request& request, const void* buf, MPI_Count count, const Datatype& type, Comm& comm, int dest,
                    int tag) {
  const size_t bytes = type.size * static_cast<size_t>(count);
  request.own_buffer = static_cast<char*>(std::malloc(bytes > 0 ? bytes : 1));
  pack_all(request.own_buffer, buf, count, type);
  p2p_start_send(request, request.own_buffer, static_cast<int64_t>(bytes), *datatype_from(MPI_BYTE), comm,
                 {dest, tag, user_context(comm)}, SendMode::kBuffered);
}

int nonblocking(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm, SendMode mode,
                MPI_Request* handle) {
  if (dest == MPI_PROC_NULL) {
    *handle = complete_request(comm, RequestKind::kSend).handle;
    return MPI_SUCCESS;
  }
  Request& request = request_new();
  retain(request, comm);
  *handle = request.handle;
  if (mode == SendMode::kBuffered) start_buffered(request, buf, count, type, comm, dest, tag);
  else p2p_start_send(request, buf, count, type, comm, {dest, tag, user_context(comm)}, mode);
  return MPI_SUCCESS;
}

}  // namespace

int send(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm) {
  return blocking(buf, count, type, dest, tag, comm, SendMode::kStandard);
}
int rsend(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm) {
  return blocking(buf, count, type, dest, tag, comm, SendMode::kStandard);
}
int ssend(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm) {
  return blocking(buf, count, type, dest, tag, comm, SendMode::kSynchronous);
}
int bsend(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm) {
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  Request& request = request_new();
  retain(request, comm);
  start_buffered(request, buf, count, type, comm, dest, tag);
  if (request.complete) request_delete(request);
  else request_detach(request);
  return MPI_SUCCESS;
}

int isend(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm, MPI_Request* request) {
  return nonblocking(buf, count, type, dest, tag, comm, SendMode::kStandard, request);
}
int irsend(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm,
           MPI_Request* request) {
  return nonblocking(buf, count, type, dest, tag, comm, SendMode::kStandard, request);
}
int issend(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm,
           MPI_Request* request) {
  return nonblocking(buf, count, type, dest, tag, comm, SendMode::kSynchronous, request);
}
int ibsend(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm,
           MPI_Request* request) {
  return nonblocking(buf, count, type, dest, tag, comm, SendMode::kBuffered, request);
}

// The buffer is kept only to be handed back: a buffered send never fails for want of it.
int buffer_attach(void* buffer, MPI_Count size) {
  if (g_attached_buffer.base != nullptr) return make_error(MPI_ERR_BUFFER, "a buffer is attached already");
  g_attached_buffer = {buffer, size};
  return MPI_SUCCESS;
}
int buffer_detach(void* buffer_addr, Integer size) {
  std::memcpy(buffer_addr, &g_attached_buffer.base, sizeof(void*));
  size.set(g_attached_buffer.size);
  g_attached_buffer = {};
  return MPI_SUCCESS;
}

// --- receives ---

int recv(void* buf, MPI_Count count, const Datatype& type, int source, int tag, Comm& comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL) {
    empty_status(status, MPI_PROC_NULL);
    return MPI_SUCCESS;
  }
  return p2p_recv(buf, count, type, comm, {source, tag, user_context(comm)}, status);
}

int irecv(void* buf, MPI_Count count, const Datatype& type, int source, int tag, Comm& comm, MPI_Request* handle) {
  if (source == MPI_PROC_NULL) {
    *handle = complete_request(comm, RequestKind::kRecv).handle;
    return MPI_SUCCESS;
  }
  Request& request = request_new();
  retain(request, comm);
  *handle = request.handle;
  p2p_start_recv(request, buf, count, type, comm, {source, tag, user_context(comm)});
  return MPI_SUCCESS;
}

int sendrecv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
             MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm, MPI_Status* status) {
  Request receive;
  receive.blocking = true;
  if (source == MPI_PROC_NULL) empty_status(status, MPI_PROC_NULL);
  else p2p_start_recv(receive, recvbuf, recvcount, recvtype, comm, {source, recvtag, user_context(comm)});
  if (dest != MPI_PROC_NULL) {
    p2p_send(sendbuf, sendcount, sendtype, comm, {dest, sendtag, user_context(comm)}, SendMode::kStandard);
  }
  if (source == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!receive.complete) g_engine.block_until_complete(receive);
  return p2p_status(receive, status);
}

int sendrecv_replace(void* buf, MPI_Count count, const Datatype& type, int dest, int sendtag, int source, int recvtag,
                     Comm& comm, MPI_Status* status) {
  const size_t bytes = type.size * static_cast<size_t>(count);
  std::vector<char> copy(bytes);
  pack_all(copy.data(), buf, count, type);
  return sendrecv(copy.data(), static_cast<MPI_Count>(bytes), *datatype_from(MPI_BYTE), dest, sendtag, buf, count, type,
                  source, recvtag, comm, status);
}

// --- persistent requests ---

namespace {

int persistent(RequestKind kind, const void* buf, MPI_Count count, const Datatype& type, int peer, int tag, Comm& comm,
               SendMode mode, MPI_Request* handle) {
  Request& request = request_new();
  retain(request, comm);
  request.kind = kind;
  request.mode = mode;
  request.persistent = true;
  request.active = false;
  request.base = buf;
  request.count = count;
  request.type = TypeRef(type);
  request.peer = peer;
  request.tag = tag;
  *handle = request.handle;
  return MPI_SUCCESS;
}

void start_one(Request& r) {
  r.active = true;
  if (r.kind == RequestKind::kOperation) {
    r.complete = false;
    r.post = g_clock;
    r.operation->start();
    return;
  }
  r.complete = r.matched = r.pushed = r.started = r.truncated = r.cancelled = r.kept_back = r.awaited = false;
  r.ack_id = r.offer = 0;
  r.bound = 0;
  std::free(r.own_buffer);
  r.own_buffer = nullptr;
  if (r.peer == MPI_PROC_NULL) return p2p_start_with_nobody(r, r.kind);
  const Peer peer{r.peer, r.tag, user_context(*r.comm)};
  if (r.kind == RequestKind::kRecv) {
    p2p_start_recv(r, const_cast<void*>(r.base), r.count, *r.type, *r.comm, peer);
  } else if (r.mode == SendMode::kBuffered) {
    start_buffered(r, r.base, r.count, *r.type, *r.comm, r.peer, r.tag);
  } else {
    p2p_start_send(r, r.base, r.count, *r.type, *r.comm, peer, r.mode);
  }
}

}  // namespace

int send_init(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm,
              MPI_Request* request) {
  return persistent(RequestKind::kSend, buf, count, type, dest, tag, comm, SendMode::kStandard, request);
}
int rsend_init(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm,
               MPI_Request* request) {
  return persistent(RequestKind::kSend, buf, count, type, dest, tag, comm, SendMode::kStandard, request);
}
int ssend_init(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm,
               MPI_Request* request) {
  return persistent(RequestKind::kSend, buf, count, type, dest, tag, comm, SendMode::kSynchronous, request);
}
int bsend_init(const void* buf, MPI_Count count, const Datatype& type, int dest, int tag, Comm& comm,
               MPI_Request* request) {
  return persistent(RequestKind::kSend, buf, count, type, dest, tag, comm, SendMode::kBuffered, request);
}
int recv_init(void* buf, MPI_Count count, const Datatype& type, int source, int tag, Comm& comm, MPI_Request* request) {
  return persistent(RequestKind::kRecv, buf, count, type, source, tag, comm, SendMode::kStandard, request);
}

int start(MPI_Request* handle) {
  Request* request = request_from(*handle);
  if (request == nullptr || !request->persistent) return make_error(MPI_ERR_REQUEST, "not a persistent request");
  if (request->active) return make_error(MPI_ERR_REQUEST, "the persistent request is active already");
  start_one(*request);
  return MPI_SUCCESS;
}

int startall(int count, MPI_Request handles[]) {
  for (int i = 0; i < count; ++i) {
    if (const int code = start(&handles[i]); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
