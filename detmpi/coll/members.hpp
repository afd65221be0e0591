// Who is who on the board of a communicator. Of an inter-communicator both groups are on it: first the one whose first
// member comes first in MPI_COMM_WORLD.
#pragma once

#include <cstdint>

#include "../object/comm.hpp"
#include "signature.hpp"

namespace detmpi {

inline bool is_first_group(const Comm& inter) { return inter.world_rank.front() < inter.remote_world_rank.front(); }

inline uint32_t members_of_both(const Comm& inter) { return static_cast<uint32_t>(inter.size + inter.peers); }

// Of the own group.
inline uint32_t local_member(const Comm& comm, int rank) {
  return static_cast<uint32_t>(!comm.inter || is_first_group(comm) ? rank : comm.peers + rank);
}
inline uint32_t own_member(const Comm& comm) { return local_member(comm, comm.rank); }

// Of those that the communicator addresses.
inline uint32_t peer_member(const Comm& comm, int peer) {
  return static_cast<uint32_t>(comm.inter && is_first_group(comm) ? comm.size + peer : peer);
}

// Of an operation with a root, which each group of an inter-communicator names in its own way.
inline Signature with_root(Signature signature, const Comm& comm, int root) {
  if (!comm.inter) return signature.root(root);
  return signature.root_between_groups(root, is_first_group(comm) == (root < 0));
}

inline int world_rank_of(const Comm& comm, uint32_t member) {
  if (!comm.inter) return comm.world_rank[member];
  const auto& first = is_first_group(comm) ? comm.world_rank : comm.remote_world_rank;
  const auto& second = is_first_group(comm) ? comm.remote_world_rank : comm.world_rank;
  return member < first.size() ? first[member] : second[member - first.size()];
}

}  // namespace detmpi
