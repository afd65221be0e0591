// Calls that make and free communicators.
#include "../engine/p2p.hpp"
#include "../object/attributes.hpp"
#include "../object/errors.hpp"
#include "../object/group.hpp"
#include "../object/info.hpp"
#include "comm_setup.hpp"
#include "impl.hpp"
#include "quit.hpp"

#include <algorithm>

namespace detmpi {
namespace {

// A new communicator of those that give my color, by (key, rank); null if I give none.
int split(Comm& parent, int color, int key, Comm** made) {
  *made = nullptr;
  if (parent.inter) return split_inter(parent, color, key, made);
  const auto all = exchange_proposals(parent, propose(color, key));
  if (all.empty()) return quit_code(parent);
  const uint32_t context = highest_context(all);
  use_contexts(context, 1);
  if (color != MPI_UNDEFINED) *made = &make_intra(parent, context, choose(all, color, parent.world_rank));
  return MPI_SUCCESS;
}

int check_members(const Comm& comm, const Group& group) {
  std::vector<bool> present(static_cast<size_t>(g_comm_world->size));
  for (const int member : comm.world_rank) present[static_cast<size_t>(member)] = true;
  for (const int member : group.world_rank) {
    if (present[static_cast<size_t>(member)]) continue;
    return make_error(MPI_ERR_GROUP, "the group has a member that %s has not", comm_label(comm).c_str());
  }
  return MPI_SUCCESS;
}

// All ranks share one machine's memory and none is bound to less of the machine: so memory is the one resource that a
// part can have in common, and there is none by which a communicator could be split further.
bool has_part(int type, const Info* info) {
  if (type == MPI_COMM_TYPE_SHARED) return true;
  if (type != MPI_COMM_TYPE_HW_GUIDED || info == nullptr) return false;
  const std::string* resource = info->find("mpi_hw_resource_type");
  return resource != nullptr && *resource == "mpi_shared_memory";
}

int close(Comm& comm) {
  const int code = attributes_delete_all(comm);
  if (code != MPI_SUCCESS) return code;
  g_engine.poll_all();  // what nobody has received goes with the communicator
  comm_close(comm);
  return MPI_SUCCESS;
}

}  // namespace

int check_may_be_freed(const Comm& comm) {
  if (&comm != g_comm_world && &comm != g_comm_self) return MPI_SUCCESS;
  return make_error(MPI_ERR_COMM, "%s cannot be freed", comm_label(comm).c_str());
}

namespace impl {

int comm_dup(Comm& comm, MPI_Comm* newcomm) {
  Comm* made = nullptr;
  *newcomm = MPI_COMM_NULL;
  if (const int code = split(comm, 0, comm.rank, &made); code != MPI_SUCCESS) return code;
  Comm& copy = *made;
  const int code = attributes_copy(comm, copy);
  if (code != MPI_SUCCESS) {
    (void)close(copy);
    return code;
  }
  copy.topology = comm.topology;
  *newcomm = copy.handle;
  return MPI_SUCCESS;
}

// No hint is known.
int comm_dup_with_info(Comm& comm, Info*, MPI_Comm* newcomm) { return comm_dup(comm, newcomm); }

int comm_split(Comm& comm, int color, int key, MPI_Comm* newcomm) {
  if (color < 0 && color != MPI_UNDEFINED) return make_error(MPI_ERR_ARG, "color is %d (must not be negative)", color);
  Comm* made = nullptr;
  const int code = split(comm, color, key, &made);
  *newcomm = made == nullptr ? MPI_COMM_NULL : made->handle;
  return code;
}

int comm_split_type(Comm& comm, int type, int key, Info* info, MPI_Comm* newcomm) {
  if (type != MPI_UNDEFINED && (type < MPI_COMM_TYPE_SHARED || type > MPI_COMM_TYPE_HW_UNGUIDED)) {
    return make_error(MPI_ERR_ARG, "split_type is %d, which is none of the kinds", type);
  }
  return comm_split(comm, has_part(type, info) ? 0 : MPI_UNDEFINED, key, newcomm);
}

int comm_create(Comm& comm, Group& group, MPI_Comm* newcomm) {
  if (const int code = check_members(comm, group); code != MPI_SUCCESS) return code;
  const auto& members = group.world_rank;
  const auto place = std::find(members.begin(), members.end(), g_engine.rank());
  if (place == members.end()) return comm_split(comm, MPI_UNDEFINED, 0, newcomm);
  // Groups may be disjoint: the first member's rank tells them apart. Those of an inter-communicator are not.
  const int color = comm.inter ? 0 : members.front();
  const int code = comm_split(comm, color, static_cast<int>(place - members.begin()), newcomm);
  if (*newcomm == MPI_COMM_NULL || comm_from(*newcomm)->world_rank == members) return code;
  (void)comm_free(newcomm);
  return make_error(MPI_ERR_GROUP, "a member of the group has given another group");
}

// Only the members call this: their proposals travel as messages of the parent, tagged by the caller.
int comm_create_group(Comm& comm, Group& group, int tag, MPI_Comm* newcomm) {
  if (comm.inter) return make_error(MPI_ERR_COMM, "the communicator is an inter-communicator");
  if (const int code = check_members(comm, group); code != MPI_SUCCESS) return code;
  const auto& members = group.world_rank;
  const auto place = std::find(members.begin(), members.end(), g_engine.rank());
  *newcomm = MPI_COMM_NULL;
  if (place == members.end()) return MPI_SUCCESS;
  const int rank = static_cast<int>(place - members.begin());
  const Datatype& word = *datatype_from(MPI_UINT32_T);
  const auto in_parent = [&](size_t i) {
    const auto at = std::find(comm.world_rank.begin(), comm.world_rank.end(), members[i]);
    return static_cast<int>(at - comm.world_rank.begin());
  };
  const uint32_t context_of_messages = collective_context(comm);
  uint32_t context = propose(0, 0).context;
  if (rank == 0) {
    for (size_t i = 1; i < members.size(); ++i) {
      uint32_t proposal = 0;
      (void)p2p_recv(&proposal, 1, word, comm, {in_parent(i), tag, context_of_messages}, MPI_STATUS_IGNORE);
      context = std::max(context, proposal);
    }
    for (size_t i = 1; i < members.size(); ++i) {
      p2p_send(&context, 1, word, comm, {in_parent(i), tag, context_of_messages}, SendMode::kStandard);
    }
  } else {
    p2p_send(&context, 1, word, comm, {in_parent(0), tag, context_of_messages}, SendMode::kStandard);
    (void)p2p_recv(&context, 1, word, comm, {in_parent(0), tag, context_of_messages}, MPI_STATUS_IGNORE);
  }
  use_contexts(context, 1);
  *newcomm = make_intra(comm, context, members).handle;
  return MPI_SUCCESS;
}

int comm_free(MPI_Comm* handle) {
  Comm& comm = *comm_from(*handle);
  if (const int error = check_may_be_freed(comm); error != MPI_SUCCESS) return error;
  const int code = close(comm);
  if (code == MPI_SUCCESS) *handle = MPI_COMM_NULL;
  return code;
}

}  // namespace impl
}  // namespace detmpi
