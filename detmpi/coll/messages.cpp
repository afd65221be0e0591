#include "messages.hpp"

#include "lost.hpp"
#include "members.hpp"
#include "mismatch.hpp"
#include "rounds.hpp"

namespace detmpi {

uint64_t latest_operation(const Comm& comm) {
  const uint64_t begun = comm.transport->board.begun();
  return begun == 0 ? 0 : begun - 1;
}

uint32_t sender_of(const Request& request, const Comm& comm) {
  return request.comm == comm.local ? local_member(comm, request.peer) : peer_member(comm, request.peer);
}

int received(Request& request, Comm& comm, uint64_t operation) {
  const uint32_t sender = sender_of(request, comm);
  if (was_lost(request)) return lost_code(request, comm, sender, operation);
  const int code = p2p_status(request, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && (request.bytes == request.data.size() || !g_checks)) return code;
  return length_error(comm, request.peer, sender, operation, request.bytes, request.data.size());
}

int receive(void* base, int64_t count, const Datatype& type, Comm& comm, Peer from) {
  const size_t room = static_cast<size_t>(count) * type.size;
  uint64_t sent = 0;
  const uint64_t operation = latest_operation(comm);
  if (!p2p_try_recv(base, count, type, comm, from, &sent)) {
    Request request;
    p2p_post_recv(request, base, count, type, comm, from);
    await_or_lose(request, comm, peer_member(comm, from.rank), operation);
    return received(request, comm, operation);
  }
  if (sent == room || !g_checks) [[likely]]
    return MPI_SUCCESS;
  return length_error(comm, from.rank, peer_member(comm, from.rank), operation, sent, room);
}

}  // namespace detmpi
