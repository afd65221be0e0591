// Probes. A message that was probed is in the list of unexpected messages, or was taken out of it (matched probe).
#include "../object/errors.hpp"
#include "impl.hpp"
#include "p2p.hpp"

namespace detmpi::impl {
namespace {

HandleTable<Message, HandleKind::kRequest> g_messages;  // taken by matched probes

Message* find(int source, int tag, Comm& comm) {
  const bool any = source == MPI_ANY_SOURCE;
  const int world = any ? -1 : comm.world_rank[static_cast<size_t>(source)];
  if (!any) g_engine.poll_source(world, nullptr);
  return g_engine.find_unexpected(world, user_context(comm), tag, any);
}

Message* wait_for(int source, int tag, Comm& comm) {
  Message* found = find(source, tag, comm);
  if (found == nullptr) {
    g_engine.block(Engine::kAnySource, nullptr, [&] { return (found = find(source, tag, comm)) != nullptr; });
  }
  return found;
}

// A failed look gives the core to whoever will send: programs poll in loops.
Message* look(int source, int tag, Comm& comm) {
  g_engine.poll_all();
  Message* found = find(source, tag, comm);
  if (found == nullptr) g_engine.after_failed_test();
  return found;
}

void fill(const Message& message, MPI_Status* status) {
  if (!wanted(status)) return;
  status->MPI_SOURCE = message.source;
  status->MPI_TAG = message.tag;
  status->count_hi_and_cancelled = 0;
  status_set_bytes(*status, message.bytes);
}

void take(Message& message, MPI_Message* handle) {
  g_engine.unlink_unexpected(message);
  *handle = message.handle = g_messages.insert(&message);
}

Message* message_from(MPI_Message* handle) {
  Message* message = g_messages.get(*handle);
  if (message == nullptr) return nullptr;
  g_messages.erase(*handle);
  *handle = MPI_MESSAGE_NULL;
  return message;
}

}  // namespace

int probe(int source, int tag, Comm& comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL) empty_status(status, MPI_PROC_NULL);
  else fill(*wait_for(source, tag, comm), status);
  return MPI_SUCCESS;
}

int iprobe(int source, int tag, Comm& comm, int* flag, MPI_Status* status) {
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    empty_status(status, MPI_PROC_NULL);
    return MPI_SUCCESS;
  }
  const Message* message = look(source, tag, comm);
  *flag = message != nullptr;
  if (message != nullptr) fill(*message, status);
  return MPI_SUCCESS;
}

int mprobe(int source, int tag, Comm& comm, MPI_Message* handle, MPI_Status* status) {
  if (source == MPI_PROC_NULL) {
    *handle = MPI_MESSAGE_NO_PROC;
    empty_status(status, MPI_PROC_NULL);
    return MPI_SUCCESS;
  }
  Message* message = wait_for(source, tag, comm);
  fill(*message, status);
  take(*message, handle);
  return MPI_SUCCESS;
}

int improbe(int source, int tag, Comm& comm, int* flag, MPI_Message* handle, MPI_Status* status) {
  *flag = 1;
  if (source == MPI_PROC_NULL) return mprobe(source, tag, comm, handle, status);
  Message* message = look(source, tag, comm);
  *flag = message != nullptr;
  if (message == nullptr) return MPI_SUCCESS;
  fill(*message, status);
  take(*message, handle);
  return MPI_SUCCESS;
}

int mrecv(void* buf, int count, const Datatype& type, MPI_Message* handle, MPI_Status* status) {
  if (*handle == MPI_MESSAGE_NO_PROC) {
    *handle = MPI_MESSAGE_NULL;
    empty_status(status, MPI_PROC_NULL);
    return MPI_SUCCESS;
  }
  Message* message = message_from(handle);
  if (message == nullptr) return make_error(MPI_ERR_REQUEST, "not a message handle");
  Request request;
  request.peer_world = message->source_world;
  request.data = TypedBytes(type, buf, count);
  g_engine.take_unexpected(*message, request);
  if (!request.complete) g_engine.block_until_complete(request);
  return p2p_status(request, status);
}

int imrecv(void* buf, int count, const Datatype& type, MPI_Message* handle, MPI_Request* request_handle) {
  Request& request = request_new();
  request.comm = g_comm_world;
  comm_retain(*g_comm_world);
  *request_handle = request.handle;
  if (*handle == MPI_MESSAGE_NO_PROC) {
    *handle = MPI_MESSAGE_NULL;
    request.source = MPI_PROC_NULL;
    request.matched_tag = MPI_ANY_TAG;
    request.complete = true;
    return MPI_SUCCESS;
  }
  Message* message = message_from(handle);
  if (message == nullptr) {
    request_delete(request);
    *request_handle = MPI_REQUEST_NULL;
    return make_error(MPI_ERR_REQUEST, "not a message handle");
  }
  request.peer_world = message->source_world;
  request.data = TypedBytes(type, buf, count);
  g_engine.take_unexpected(*message, request);
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
