// Life of communicators.
#include "comm.hpp"

#include <utility>

#include "call.hpp"
#include "hooks.hpp"

namespace detmpi {

Comm& comm_register(MPI_Comm handle, uint32_t context, int rank, std::vector<int> world_rank) {
  auto* comm = new Comm;
  comm->context = context;
  comm->rank = rank;
  comm->size = static_cast<int>(world_rank.size());
  comm->peers = comm->size;
  comm->world_rank = std::move(world_rank);
  comm->errhandler = &errhandler_fatal();
  if (handle == MPI_COMM_WORLD) {
    g_comm_world = comm;
    comm->name = "MPI_COMM_WORLD";
  } else if (handle == MPI_COMM_SELF) {
    g_comm_self = comm;
    comm->name = "MPI_COMM_SELF";
  }
  comm->handle = handle == MPI_COMM_NULL ? g_comms.insert(comm) : handle;
  return *comm;
}

void comm_inherit(const Comm& parent, Comm& child) {
  errhandler_retain(*parent.errhandler);
  errhandler_release(*child.errhandler);
  child.errhandler = parent.errhandler;
}

void comm_close(Comm& comm) {
  if (g_call.comm == &comm) g_call.comm = nullptr;  // the call has not failed
  if (&comm == g_comm_world) {
    g_comm_world = nullptr;
  } else if (&comm == g_comm_self) {
    g_comm_self = nullptr;
  } else {
    g_comms.erase(comm.handle);
  }
  comm.handle = MPI_COMM_NULL;
  comm_release(comm);
}

namespace {

// A call that has failed raises its error when the communicator, which the program had freed before, is gone. So the
// handler stays until another call takes this place.
void raise_without(const Comm& comm) {
  static Errhandler* kept = &errhandler_fatal();
  errhandler_retain(*comm.errhandler);
  errhandler_release(*kept);
  kept = comm.errhandler;
  g_call.comm = nullptr;
  g_call.errhandler = kept;
}

}  // namespace

void comm_destroy(Comm& comm) {
  if (g_call.comm == &comm) raise_without(comm);
  transport_release(comm);
  errhandler_release(*comm.errhandler);
  if (comm.local != nullptr) comm_release(*comm.local);
  delete &comm;
}

std::string comm_label(const Comm& comm) {
  if (!comm.name.empty()) return comm.name;
  if (comm.inter) {
    return "an inter-communicator of " + std::to_string(comm.size) + " and " + std::to_string(comm.peers) + " ranks";
  }
  return "a communicator of " + std::to_string(comm.size) + (comm.size == 1 ? " rank" : " ranks");
}

const Comm* comm_with_context(uint32_t context) {
  const Comm* found = nullptr;
  const auto consider = [&](const Comm& comm) {
    if (comm.context == context) found = &comm;
    if (comm.local != nullptr && comm.local->context == context) found = comm.local;
  };
  consider(*g_comm_world);
  consider(*g_comm_self);
  g_comms.each(consider);
  return found;
}

std::string context_label(uint32_t context) {
  const Comm* comm = comm_with_context(context);
  return comm == nullptr ? "a communicator that was freed" : comm_label(*comm);
}

}  // namespace detmpi
