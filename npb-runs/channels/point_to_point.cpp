// Sends and receives, blocking or not: calls of MPI over channels (messages.hpp).
#include "comm.hpp"

using namespace channels;

namespace {

Receive receive_of(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm handle) {
  if (from == MPI_ANY_SOURCE) fail("channels have one source each: there are no receives from any source");
  const Comm& comm = comm_of(handle);
  return {comm.member(from), {tag, comm.context, bytes_of(count, type)}, data};
}

void tell(const Receive& receive, MPI_Status* status) {
  if (status != MPI_STATUS_IGNORE) *status = {receive.source, receive.envelope.tag, receive.envelope.bytes};
}

}  // namespace

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm handle) {
  const Comm& comm = comm_of(handle);
  g_messages.send(comm.member(to), {tag, comm.context, bytes_of(count, type)}, data);
  return MPI_SUCCESS;
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  Receive receive = receive_of(data, count, type, from, tag, comm);
  g_messages.post(receive);
  g_messages.wait(receive);
  tell(receive, status);
  return MPI_SUCCESS;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  *request = new Receive(receive_of(data, count, type, from, tag, comm));
  g_messages.post(**request);
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  g_messages.wait(**request);
  tell(**request, status);
  delete *request;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  for (int i = 0; i < count; ++i) {
    MPI_Wait(&requests[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
  }
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  *count = static_cast<int>(status->bytes / bytes_of(1, type));
  return MPI_SUCCESS;
}
