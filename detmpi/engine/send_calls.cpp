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

// A copy of the message, which goes without the program: that may reuse its buffer, and has nothing to wait for.
int send_copy(const void* buf, MPI_Count count, const Datatype& type, Comm& comm, int dest, int tag) {
  PackedCopy copy;
  if (const int code = p2p_pack(buf, count, type, &copy); code != MPI_SUCCESS) return code;
  Request& request = request_new();
  retain(request, comm);
  request.own_buffer = copy.release();
  p2p_start_send(request, request.own_buffer, static_cast<int64_t>(type.size) * count, *datatype_from(MPI_BYTE), comm,
                 {dest, tag, user_context(comm)}, SendMode::kBuffered);
  if (request.complete) request_delete(request);
  else request_detach(request);
  return MPI_SUCCESS;
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
  p2p_start_send(request, buf, count, type, comm, {dest, tag, user_context(comm)}, mode);
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
  return dest == MPI_PROC_NULL ? MPI_SUCCESS : send_copy(buf, count, type, comm, dest, tag);
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
  const int code = bsend(buf, count, type, dest, tag, comm);
  if (code == MPI_SUCCESS) *request = complete_request(comm, RequestKind::kSend).handle;
  return code;
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

namespace {

int send_and_receive(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag,
                     void* recvbuf, MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm,
                     MPI_Status* status) {
  Request receive;
  receive.blocking = true;
  if (source == MPI_PROC_NULL) empty_status(status, MPI_PROC_NULL);
  else p2p_start_recv(receive, recvbuf, recvcount, recvtype, comm, {source, recvtag, user_context(comm)});
  if (dest != MPI_PROC_NULL) {
    p2p_send(sendbuf, sendcount, sendtype, comm, {dest, sendtag, user_context(comm)}, SendMode::kStandard,
             source == MPI_PROC_NULL);
  }
  if (source == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!receive.complete) g_engine.block_until_complete(receive);
  return p2p_status(receive, status);
}

// The same, with a copy of what is sent.
int replace(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
            MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm, MPI_Status* status) {
  if (dest == MPI_PROC_NULL) return recv(recvbuf, recvcount, recvtype, source, recvtag, comm, status);
  PackedCopy copy;
  if (const int code = p2p_pack(sendbuf, sendcount, sendtype, &copy); code != MPI_SUCCESS) return code;
  return send_and_receive(copy.get(), static_cast<MPI_Count>(sendtype.size) * sendcount, *datatype_from(MPI_BYTE), dest,
                          sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status);
}

}  // namespace

int sendrecv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
             MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm, MPI_Status* status) {
  const auto how = p2p_overlap(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype) ? replace : send_and_receive;
  return how(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status);
}

int sendrecv_replace(void* buf, MPI_Count count, const Datatype& type, int dest, int sendtag, int source, int recvtag,
                     Comm& comm, MPI_Status* status) {
  return replace(buf, count, type, dest, sendtag, buf, count, type, source, recvtag, comm, status);
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

// Complete from the start, as MPI_Ibsend is.
int start_buffered(Request& r) {
  const int code = bsend(r.base, r.count, *r.type, r.peer, r.tag, *r.comm);
  if (code != MPI_SUCCESS) return code;
  r.active = r.complete = r.pushed = true;
  r.post = r.stamp = g_clock;
  return MPI_SUCCESS;
}

int start_one(Request& r) {
  if (r.kind == RequestKind::kOperation) {
    r.active = true;
    r.complete = false;
    r.post = g_clock;
    r.operation->start();
    return MPI_SUCCESS;
  }
  if (r.mode == SendMode::kBuffered) return start_buffered(r);
  r.active = true;
  r.complete = r.matched = r.pushed = r.started = r.truncated = r.cancelled = r.kept_back = r.awaited = false;
  r.ack_id = r.offer = 0;
  r.bound = 0;
  std::free(r.own_buffer);
  r.own_buffer = nullptr;
  const Peer peer{r.peer, r.tag, user_context(*r.comm)};
  if (r.peer == MPI_PROC_NULL) p2p_start_with_nobody(r, r.kind);
  else if (r.kind == RequestKind::kRecv) p2p_start_recv(r, const_cast<void*>(r.base), r.count, *r.type, *r.comm, peer);
  else p2p_start_send(r, r.base, r.count, *r.type, *r.comm, peer, r.mode);
  return MPI_SUCCESS;
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
  if (request == nullptr) return make_error(MPI_ERR_REQUEST, "not a persistent request");
  if (!request->persistent || request->active) [[unlikely]] {
    blame(*request);
    return make_error(MPI_ERR_REQUEST,
                      request->persistent ? "the persistent request is active already" : "not a persistent request");
  }
  const int code = start_one(*request);
  if (code != MPI_SUCCESS) blame(*request);
  return code;
}

int startall(int count, MPI_Request handles[]) {
  for (int i = 0; i < count; ++i) {
    if (const int code = start(&handles[i]); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
