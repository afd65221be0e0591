// Messages of collective operations: only those of one and the same operation match, and each has the size that its
// receiver expects.
#pragma once

#include "../engine/p2p.hpp"
#include "rounds.hpp"
#include "signature.hpp"

namespace detmpi {

// Of the operation that this rank has begun, and of all before it: so messages match only where all of that is the
// same.
inline uint64_t message_hash(const Comm& comm, const Signature& signature) {
  return chan::Board::after(comm.transport->board.history(), signature.compared());
}

// Of an operation that blocks; below those of plans.
inline constexpr int kMostPlanTags = 1 << 30;
inline constexpr int kFirstPlanTag = -2;
inline constexpr int kMeetingTag = kFirstPlanTag - kMostPlanTags - 1 - (1 << 29);  // at the end of the job
inline Peer peer_in(const Comm& comm, int rank, const Signature& signature) {
  const auto tag = kFirstPlanTag - kMostPlanTags - 1 - static_cast<int>(message_hash(comm, signature) >> 35);
  return {rank, tag, collective_context(comm)};
}

// The error code of a receive that is complete. `comm`, `operation`: what the message belongs to, and its number among
// those on the communicator. The message may have come on that of the own group, of an inter-communicator.
int received(Request& request, Comm& comm, uint64_t operation);
// Who has sent it, or will.
uint32_t sender_of(const Request& request, const Comm& comm);
// Blocks for a message of the latest operation. Who has no data to send on, because of an error, sends none: where all
// must agree on the length that is an error here, too.
int receive(void* base, int64_t count, const Datatype& type, Comm& comm, Peer from);

uint64_t latest_operation(const Comm& comm);

}  // namespace detmpi
