// Messages of collective operations: only those of one and the same operation match, and each has the size that its
// receiver expects.
#pragma once

#include "../engine/p2p.hpp"
#include "signature.hpp"

namespace detmpi {

// Of an operation that blocks; below those of plans. Members that are in different operations wait for ever, which is
// told with what each of them is in.
inline constexpr int kMostPlanTags = 1 << 30;
inline constexpr int kFirstPlanTag = -2;
inline Peer peer_in(const Comm& comm, int rank, const Signature& signature) {
  const auto tag = kFirstPlanTag - kMostPlanTags - 1 - static_cast<int>(signature.hash() >> 35);
  return {rank, tag, collective_context(comm)};
}

// The error code of a receive that is complete. `comm`, `operation`: what the message belongs to, and its number among
// those on the communicator. The message may have come on that of the own group, of an inter-communicator.
int received(Request& request, Comm& comm, uint64_t operation);
// Blocks for a message of the latest operation.
int receive(void* base, int64_t count, const Datatype& type, Comm& comm, Peer from);

uint64_t latest_operation(const Comm& comm);

}  // namespace detmpi
