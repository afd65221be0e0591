// Communicators. Reference-counted: the handle holds one, pending communication others, so that a freed
// communicator lives until its last operation is complete.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attributes.hpp"
#include "errhandler.hpp"
#include "handle_table.hpp"
#include "info.hpp"

namespace detmpi {

struct CommTransport;
struct Topology;

struct Comm {
  MPI_Comm handle = MPI_COMM_NULL;  // null once freed
  uint32_t context = 0;             // keeps messages of different communicators apart
  int rank = 0;
  int size = 0;
  int peers = 0;                // who can be addressed: the size, or that of the remote group
  std::vector<int> world_rank;  // of each member
  CommTransport* transport = nullptr;
  Errhandler* errhandler = nullptr;
  Attributes attributes;
  std::string name;
  bool inter = false;
  std::vector<int> remote_world_rank;        // of an inter-communicator's other group
  uint32_t plans = 0;                        // made so far (coll/plan.hpp)
  uint32_t partition_tags = 0;               // given out (engine/partitioned.hpp)
  Comm* local = nullptr;                     // of its own group; null: not an inter-communicator
  std::shared_ptr<const Topology> topology;  // null: none
  int refs = 1;
};

inline Comm* g_comm_world = nullptr;
inline Comm* g_comm_self = nullptr;
inline HandleTable<Comm, HandleKind::kComm> g_comms;

// The communicator of a handle, null if the handle is not valid.
inline Comm* comm_from(MPI_Comm handle) {
  if (handle == MPI_COMM_WORLD) [[likely]]
    return g_comm_world;
  if (handle == MPI_COMM_SELF) return g_comm_self;
  return g_comms.get(handle);
}

// A new communicator with the default error handler. `handle` is MPI_COMM_WORLD, MPI_COMM_SELF, or
// MPI_COMM_NULL for the lowest free one.
Comm& comm_register(MPI_Comm handle, uint32_t context, int rank, std::vector<int> world_rank);

// The new communicator takes over the parent's error handler; every constructor does this.
void comm_inherit(const Comm& parent, Comm& child);

// Makes the handle invalid and drops its reference. The attributes have been deleted.
void comm_close(Comm& comm);

inline void comm_retain(Comm& comm) { ++comm.refs; }
void comm_destroy(Comm& comm);
inline void comm_release(Comm& comm) {
  if (--comm.refs == 0) comm_destroy(comm);
}

// The name the program gave it, or a description, for messages.
std::string comm_label(const Comm& comm);
// The one with that context, null if the program has freed it.
const Comm* comm_with_context(uint32_t context);
// Its label.
std::string context_label(uint32_t context);

}  // namespace detmpi
