// Point-to-point operations as the rest of the library uses them: on a communicator and a context.
#pragma once

#include "engine.hpp"

namespace detmpi {

// Contexts: a communicator has two, so that collective operations never match the program's messages. Theirs is odd.
inline uint32_t user_context(const Comm& comm) { return comm.context * 2; }
inline uint32_t collective_context(const Comm& comm) { return comm.context * 2 + 1; }

struct Peer {
  int rank;
  int tag;
  uint32_t context;
};

// Blocking. They return an error code for a truncated message only.
void p2p_send(const void* buf, int64_t count, const Datatype& type, Comm& comm, Peer to, SendMode mode);
int p2p_recv(void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from, MPI_Status* status);

// Fills in a request (on the stack or from the pool) and starts it.
void p2p_start_send(Request& request, const void* buf, int64_t count, const Datatype& type, Comm& comm, Peer to,
                    SendMode mode);
void p2p_start_recv(Request& request, void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from);

// The status of a complete request; returns its error code.
int p2p_status(Request& request, MPI_Status* status);
void fill_status(MPI_Status* status, int source, int tag, uint64_t bytes);
void empty_status(MPI_Status* status, int source);
inline bool wanted(const MPI_Status* status) { return status != MPI_STATUS_IGNORE; }

}  // namespace detmpi
