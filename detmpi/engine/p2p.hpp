// Point-to-point operations as the rest of the library uses them: on a communicator and a context.
#pragma once

#include <cstdlib>
#include <memory>

#include "contexts.hpp"
#include "engine.hpp"

namespace detmpi {

inline uint32_t user_context(const Comm& comm) { return comm.context * 2; }
inline uint32_t collective_context(const Comm& comm) { return comm.context * 2 + 1; }
inline uint32_t partitioned_context(const Comm& comm) { return collective_context(comm) | kPartitioned; }

struct Peer {
  int rank;
  int tag;
  uint32_t context;
};

// Blocking. They return an error code for a truncated message only. `one_way`: the caller has nothing to receive
// meanwhile.
void p2p_send(const void* buf, int64_t count, const Datatype& type, Comm& comm, Peer to, SendMode mode,
              bool one_way = true);
int p2p_recv(void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from, MPI_Status* status);
// The same in two halves, where something else may end the wait: true if the message has come, of `sent` bytes; else
// the receive must be posted.
bool p2p_try_recv(void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from, uint64_t* sent);
void p2p_post_recv(Request& request, void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from);

// Fills in a request (on the stack or from the pool) and starts it.
void p2p_start_send(Request& request, const void* buf, int64_t count, const Datatype& type, Comm& comm, Peer to,
                    SendMode mode);
void p2p_start_recv(Request& request, void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from);

// Do the buffers of an exchange overlap? That is wrong, but programs have it, and what they send would depend on what
// has come by then: it must be a copy. What lies between the bytes of data with gaps does not count, since columns of a
// matrix do not overlap.
bool p2p_overlap(const void* sendbuf, int64_t sendcount, const Datatype& sendtype, const void* recvbuf,
                 int64_t recvcount, const Datatype& recvtype);

// Posted at a time that has passed, and no event (Engine::receive_since).
void p2p_start_recv_since(uint64_t post, Request& request, TypedBytes data, Comm& comm, Peer from);
// A copy of a message as consecutive bytes, also of an empty one. Returns an error code if there is no memory for it.
struct FreeMemory {
  void operator()(char* memory) const { std::free(memory); }
};
using PackedCopy = std::unique_ptr<char, FreeMemory>;
int p2p_pack(const void* buf, int64_t count, const Datatype& type, PackedCopy* copy);
// A request that is complete from the start: to or from MPI_PROC_NULL.
void p2p_start_with_nobody(Request& request, RequestKind kind);

// The status of a complete request; returns its error code.
int p2p_status(Request& request, MPI_Status* status);
// Of a receive that has been observed already.
void p2p_tell(const Request& receive, MPI_Status* status);
// The error that the call is to return is that of a request, and raised on its communicator: of several requests on
// that of the first that failed. (wait_calls.cpp)
[[gnu::cold]] void blame(const Request& request);
// Is it complete by `until`, now or later in logical time? Its bytes may be still to come. The clock is then at the
// time at which it is, or `until`. (wait_calls.cpp)
bool p2p_test(Request& request, uint64_t until);
// The same of a program that may ask in a loop: waits for a while where it does (polling.hpp), and tells.
bool p2p_poll(Request& request);
void fill_status(MPI_Status* status, int source, int tag, uint64_t bytes);
void empty_status(MPI_Status* status, int source);
inline bool wanted(const MPI_Status* status) { return status != MPI_STATUS_IGNORE; }

}  // namespace detmpi
