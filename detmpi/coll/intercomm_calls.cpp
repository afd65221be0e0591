// Inter-communicators: two disjoint groups, whose members address those of the other.
//
// To make one, the members of each group tell each other, or their leader, what they propose, the leaders of the groups
// swap the lists, and hand on what they have got. So everybody knows everything, and comes to the same conclusions,
// errors included.
#include "../engine/events.hpp"
#include "../engine/p2p.hpp"
#include "../object/errors.hpp"
#include "../object/group.hpp"
#include "comm_setup.hpp"
#include "impl.hpp"
#include "members.hpp"
#include "plan.hpp"
#include "quit.hpp"

#include <algorithm>

namespace detmpi {
namespace {

struct BothSides {
  std::vector<Proposal> local;
  std::vector<Proposal> remote;
};

// Both leaders call this at the same time, so the receive is posted first.
void swap_bytes(const void* out, size_t out_bytes, void* in, size_t in_bytes, Comm& bridge, Peer leader) {
  const Datatype& byte = *datatype_from(MPI_BYTE);
  Request receive;
  receive.blocking = true;
  p2p_start_recv(receive, in, static_cast<int64_t>(in_bytes), byte, bridge, leader);
  p2p_send(out, static_cast<int64_t>(out_bytes), byte, bridge, leader, SendMode::kStandard);
  if (!receive.complete) g_engine.block_until_complete(receive);
  (void)p2p_status(receive, MPI_STATUS_IGNORE);
}

std::vector<Proposal> swap_lists(const std::vector<Proposal>& mine, Comm& bridge, Peer leader) {
  const size_t my_size = mine.size();
  size_t size = 0;
  swap_bytes(&my_size, sizeof my_size, &size, sizeof size, bridge, leader);
  std::vector<Proposal> theirs(size);
  swap_bytes(mine.data(), my_size * sizeof(Proposal), theirs.data(), size * sizeof(Proposal), bridge, leader);
  return theirs;
}

// `leader` is the rank in the local group that knows `bridge`, through which it reaches the other leader. Returns an
// error code. A group whose operations do not match proposes nothing, so that the other one does not wait for it.
int exchange_by_leaders(Comm& local, int leader, Proposal mine, Comm* bridge, Peer remote_leader, BothSides& sides) {
  sides.local = exchange_proposals(local, mine);
  if (local.rank == leader) sides.remote = swap_lists(sides.local, *bridge, remote_leader);
  if (sides.local.empty()) return quit_code(local);
  int size = static_cast<int>(sides.remote.size());
  (void)impl::bcast(&size, 1, *datatype_from(MPI_INT), leader, local);
  sides.remote.resize(static_cast<size_t>(size));
  const int bytes = size * static_cast<int>(sizeof(Proposal));
  (void)impl::bcast(sides.remote.data(), bytes, *datatype_from(MPI_BYTE), leader, local);
  if (size > 0) return MPI_SUCCESS;
  return make_job_error(MPI_ERR_OTHER, kStuckExit, "mismatched collective operations in the group of remote_leader");
}

// One of several operations in a call; `add` adds the messages. Returns an error code.
template <typename Add>
int step_of_exchange(Comm& inter, Add&& add) {
  g_clock += 1;  // it begins later than what others may know of the clock by then
  PlanPtr plan = make_plan(inter, Signature());
  add(*plan);
  return plan_run(std::move(plan));
}

int64_t bytes_of(const std::vector<Proposal>& list) { return static_cast<int64_t>(list.size() * sizeof(Proposal)); }

// A leader is told by its group what they propose, and everybody meets those without whom nothing follows: the members
// of a group their leader, the leaders each other.
void collect(Plan& plan, Comm& inter, const Proposal& mine, std::vector<Proposal>& local) {
  Comm& group = *inter.local;
  const Datatype& byte = *datatype_from(MPI_BYTE);
  if (inter.rank != 0) {
    plan.send(0, &mine, sizeof mine, byte, group);
    plan.receive(0, nullptr, 0, byte, group);
    return;
  }
  for (int peer = 1; peer < group.size; ++peer) {
    plan.receive(peer, &local[static_cast<size_t>(peer)], sizeof mine, byte, group);
    plan.send(peer, nullptr, 0, byte, group);
  }
  plan.send(0, nullptr, 0, byte, inter);
  plan.receive(0, nullptr, 0, byte, inter);
}

void hand_on(Plan& plan, Comm& inter, std::vector<Proposal>& list) {
  Comm& group = *inter.local;
  const Datatype& byte = *datatype_from(MPI_BYTE);
  if (inter.rank != 0) return plan.receive(0, list.data(), bytes_of(list), byte, group);
  for (int peer = 1; peer < group.size; ++peer) plan.send(peer, list.data(), bytes_of(list), byte, group);
}

// The same on an inter-communicator, where the first members of the groups lead.
//
// So that all fail if the calls of some do not match, and none waits later on for those who have failed: every member
// that begins something else is missed in the first step, by its leader, or if it leads by its group and the other
// leader. A leader that misses somebody quits, and those who need it in the steps that follow do so, too.
int exchange_between(Comm& inter, const Proposal& mine, BothSides& sides) {
  sides.local.resize(static_cast<size_t>(inter.size), mine);
  sides.remote.resize(static_cast<size_t>(inter.peers));
  int code = step_of_exchange(inter, [&](Plan& plan) { collect(plan, inter, mine, sides.local); });
  if (code != MPI_SUCCESS) return code;
  code = step_of_exchange(inter, [&](Plan& plan) {
    if (inter.rank != 0) return;
    plan.send(0, sides.local.data(), bytes_of(sides.local), *datatype_from(MPI_BYTE), inter);
    plan.receive(0, sides.remote.data(), bytes_of(sides.remote), *datatype_from(MPI_BYTE), inter);
  });
  if (code != MPI_SUCCESS) return code;
  return step_of_exchange(inter, [&](Plan& plan) {
    hand_on(plan, inter, sides.local);
    hand_on(plan, inter, sides.remote);
  });
}

uint32_t agree(const BothSides& sides, uint32_t contexts) {
  const uint32_t first = std::max(highest_context(sides.local), highest_context(sides.remote));
  use_contexts(first, contexts);
  return first;
}

constexpr uint32_t kContexts = 2;  // of an inter-communicator

// The local group's own communicator, to which the program has no handle.
Comm& hide_local(Comm& comm) {
  comm.name = "the local group of an inter-communicator";
  g_comms.erase(comm.handle);
  comm.handle = MPI_COMM_NULL;
  return comm;
}

// `group`: a communicator of the own group, with the next context number.
Comm& join(Comm& parent, uint32_t context, Comm& group, std::vector<int> remote) {
  Comm& comm = comm_register(MPI_COMM_NULL, context, group.rank, group.world_rank);
  comm.inter = true;
  comm.peers = static_cast<int>(remote.size());
  comm.remote_world_rank = std::move(remote);
  comm.local = &hide_local(group);
  comm_inherit(parent, comm);
  return comm;
}

// The first member of the first group makes the board of both groups, and tells the others where it is.
void give_log(Comm& comm) {
  spmc::EPageIndex log;
  const ContentsHidden frame_number;
  const Datatype& byte = *datatype_from(MPI_BYTE);
  Comm& group = *comm.local;
  if (own_member(comm) == 0) {
    log = take_log(comm);
    const auto tell = [&](Comm& on, int to) {
      p2p_send(&log, sizeof log, byte, on, {to, 0, collective_context(on)}, SendMode::kStandard);
    };
    for (int to = 1; to < group.size; ++to) tell(group, to);
    for (int to = 0; to < comm.peers; ++to) tell(comm, to);
  } else {
    Comm& on = is_first_group(comm) ? group : comm;
    (void)p2p_recv(&log, sizeof log, byte, on, {0, 0, collective_context(on)}, MPI_STATUS_IGNORE);
  }
  set_log(comm, log);
}

Comm& make_inter(Comm& parent, uint32_t context, const std::vector<int>& local, std::vector<int> remote) {
  Comm& comm = join(parent, context, make_intra(parent, context + 1, local), std::move(remote));
  give_log(comm);
  return comm;
}

int not_inter() { return make_error(MPI_ERR_COMM, "the communicator is not an inter-communicator"); }

bool have_common(const std::vector<int>& a, const std::vector<int>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

// The leader alone knows these.
int check_leaders(const Comm* peer_comm, MPI_Comm handle, int remote_leader) {
  if (peer_comm == nullptr) {
    return make_error(MPI_ERR_COMM, "peer_comm is 0x%08x, not a valid communicator", static_cast<unsigned>(handle));
  }
  if (remote_leader >= 0 && remote_leader < peer_comm->peers) return MPI_SUCCESS;
  return make_error(MPI_ERR_RANK, "invalid remote_leader %d (ranks are 0 to %d)", remote_leader, peer_comm->peers - 1);
}

bool all_the_same(const std::vector<Proposal>& side) {
  return std::all_of(side.begin(), side.end(), [&](const Proposal& p) { return p.choice == side.front().choice; });
}

}  // namespace

int split_inter(Comm& parent, int color, int key, Comm** made) {
  BothSides sides;
  if (const int code = exchange_between(parent, propose(color, key), sides); code != MPI_SUCCESS) return code;
  const uint32_t context = agree(sides, kContexts);
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  std::vector<int> remote = choose(sides.remote, color, parent.remote_world_rank);
  if (remote.empty()) return MPI_SUCCESS;
  *made = &make_inter(parent, context, choose(sides.local, color, parent.world_rank), std::move(remote));
  return MPI_SUCCESS;
}

Comm& make_inter_copy(Comm& parent, uint32_t context, spmc::EPageIndex board, spmc::EPageIndex log) {
  Comm& comm = join(parent, context, make_intra_copy(*parent.local, context + 1, board), parent.remote_world_rank);
  set_log(comm, log);
  return comm;
}

namespace impl {

int intercomm_create(Comm& local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                     MPI_Comm* newintercomm) {
  if (local_comm.inter) return make_error(MPI_ERR_COMM, "local_comm is an inter-communicator");
  if (local_leader < 0 || local_leader >= local_comm.size) {
    return make_error(MPI_ERR_RANK, "invalid local_leader %d (ranks are 0 to %d)", local_leader, local_comm.size - 1);
  }
  Comm* bridge = nullptr;
  Peer leader{};
  if (local_comm.rank == local_leader) {
    bridge = comm_from(peer_comm);
    if (const int code = check_leaders(bridge, peer_comm, remote_leader); code != MPI_SUCCESS) return code;
    leader = {remote_leader, tag, collective_context(*bridge)};
  }
  // What everybody says is who it is.
  BothSides sides;
  const Proposal mine = propose(g_engine.rank(), 0);
  const int code = exchange_by_leaders(local_comm, local_leader, mine, bridge, leader, sides);
  if (code != MPI_SUCCESS) return code;
  const uint32_t context = agree(sides, kContexts);
  std::vector<int> remote;
  for (const Proposal& p : sides.remote) remote.push_back(p.choice);
  if (have_common(local_comm.world_rank, remote)) {
    return make_error(MPI_ERR_COMM, "a rank is in both groups of the inter-communicator");
  }
  *newintercomm = make_inter(local_comm, context, local_comm.world_rank, std::move(remote)).handle;
  return MPI_SUCCESS;
}

// The group that gives `high` comes last; if both or none do, that whose first member is first in MPI_COMM_WORLD is
// first.
int intercomm_merge(Comm& intercomm, int high, MPI_Comm* newintracomm) {
  if (!intercomm.inter) return not_inter();
  BothSides sides;
  if (const int code = exchange_between(intercomm, propose(high != 0, 0), sides); code != MPI_SUCCESS) return code;
  const uint32_t context = agree(sides, 1);
  if (!all_the_same(sides.local) || !all_the_same(sides.remote)) {
    return make_error(MPI_ERR_ARG, "the members of a group give different values of high");
  }
  const std::vector<int>&local = intercomm.world_rank, &remote = intercomm.remote_world_rank;
  const int remote_high = sides.remote.front().choice;
  const bool first = (high != 0) == (remote_high != 0) ? local.front() < remote.front() : high == 0;
  std::vector<int> all = first ? local : remote;
  const std::vector<int>& last = first ? remote : local;
  all.insert(all.end(), last.begin(), last.end());
  *newintracomm = make_intra(intercomm, context, std::move(all)).handle;
  return MPI_SUCCESS;
}

int comm_remote_size(Comm& comm, int* size) {
  if (!comm.inter) return not_inter();
  *size = comm.peers;
  return MPI_SUCCESS;
}

int comm_remote_group(Comm& comm, MPI_Group* group) {
  if (!comm.inter) return not_inter();
  *group = group_make(comm.remote_world_rank);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
