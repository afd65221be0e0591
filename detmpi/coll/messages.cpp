#include "messages.hpp"

#include "members.hpp"
#include "mismatch.hpp"
#include "rounds.hpp"

namespace detmpi {

uint64_t latest_operation(const Comm& comm) {
  const uint64_t begun = comm.transport->board.begun();
  return begun == 0 ? 0 : begun - 1;
}

int received(Request& request, Comm& comm, uint64_t operation) {
  const int code = p2p_status(request, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && (request.bytes == request.data.size() || !g_checks)) return code;
  const uint32_t sender =
      request.comm == comm.local ? local_member(comm, request.peer) : peer_member(comm, request.peer);
  return length_error(comm, request.peer, sender, operation, request.bytes, request.data.size());
}

int receive(void* base, int64_t count, const Datatype& type, Comm& comm, Peer from) {
  const size_t room = static_cast<size_t>(count) * type.size;
  uint64_t sent = 0;
  const int code = p2p_recv_sized(base, count, type, comm, from, &sent);
  if (code == MPI_SUCCESS && (sent == room || !g_checks)) [[likely]]
    return code;
  return length_error(comm, from.rank, peer_member(comm, from.rank), latest_operation(comm), sent, room);
}

}  // namespace detmpi
