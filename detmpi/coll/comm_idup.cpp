// A copy of a communicator without waiting for anybody: what the members agree on elsewhere, one of them decides here,
// and tells the others by messages of a plan.
//
// Context numbers of such copies come from a range of their own, in which every rank has numbers that no other rank
// gives out. So copies that are under way at the same time, on communicators with members in common, have different
// ones.
#include "../object/attributes.hpp"
#include "../object/errors.hpp"
#include "comm_setup.hpp"
#include "impl.hpp"
#include "plan.hpp"

#include <algorithm>

namespace detmpi {
namespace {

constexpr uint32_t kFirstContext = 1u << 30, kContextsOfRank = 1u << 18;
static_assert(kFirstContext + kMaxRanks * uint64_t{kContextsOfRank} <= uint64_t{1} << 31, "a context has 31 bits");

uint32_t g_given_out = 0;

// Two numbers: an inter-communicator needs them.
uint32_t give_out_contexts() {
  const uint32_t first = g_given_out;
  g_given_out += 2;
  return kFirstContext + static_cast<uint32_t>(g_engine.rank()) * kContextsOfRank + first;
}

bool any_left() { return g_given_out + 2 <= kContextsOfRank; }

// What the members are told.
struct Decision {
  uint32_t context = 0;
  spmc::EPageIndex board;  // of this group
};

// Of the two groups of an inter-communicator the one whose first member comes first in MPI_COMM_WORLD decides.
bool group_decides(const Comm& comm) { return !comm.inter || comm.world_rank.front() < comm.remote_world_rank.front(); }

const Datatype& bytes() { return *datatype_from(MPI_BYTE); }

template <typename Field>
void tell_all(Plan& plan, const Field& field, Comm& comm) {
  for (int to = 0; to < comm.peers; ++to) {
    if (comm.inter || to != comm.rank) plan.send(to, &field, sizeof field, bytes(), comm);
  }
}

// The own group learns everything from its first member, on an inter-communicator but for the context that the other
// group has chosen: that one comes from there.
void exchange(Plan& plan, Decision& decision, Comm& comm) {
  Comm& group = comm.inter ? *comm.local : comm;
  const bool chosen_here = group_decides(comm);
  if (comm.inter && chosen_here && comm.rank == 0) tell_all(plan, decision.context, comm);
  if (!chosen_here) plan.receive(0, &decision.context, sizeof decision.context, bytes(), comm);
  if (comm.rank == 0) {
    if (chosen_here) tell_all(plan, decision.context, group);
    tell_all(plan, decision.board, group);
  } else {
    if (chosen_here) plan.receive(0, &decision.context, sizeof decision.context, bytes(), group);
    plan.receive(0, &decision.board, sizeof decision.board, bytes(), group);
  }
}

int finish(const Decision& decision, Comm& comm, MPI_Comm* newcomm) {
  Comm& copy = comm.inter ? make_inter_copy(comm, decision.context, decision.board)
                          : make_intra_copy(comm, decision.context, decision.board);
  copy.topology = comm.topology;
  *newcomm = copy.handle;
  const int code = attributes_copy(comm, copy);
  if (code == MPI_SUCCESS) return code;
  (void)attributes_delete_all(copy);
  comm_close(copy);
  *newcomm = MPI_COMM_NULL;
  return code;
}

}  // namespace

namespace impl {

int comm_idup(Comm& comm, MPI_Comm* newcomm, MPI_Request* request) {
  const auto decision = std::make_shared<Decision>();
  if (comm.rank == 0 && group_decides(comm)) {
    if (!any_left()) return make_error(MPI_ERR_OTHER, "no context numbers are left for copies of communicators");
    decision->context = give_out_contexts();
  }
  if (comm.rank == 0 && comm.size > 1) decision->board = take_board(comm.size);
  PlanPtr plan = make_plan(comm);
  plan->hide_contents();  // frame numbers
  exchange(*plan, *decision, comm);
  plan->at_end([decision, &comm, newcomm] { return finish(*decision, comm, newcomm); });
  return plan_start(std::move(plan), request);
}

int comm_idup_with_info(Comm& comm, Info*, MPI_Comm* newcomm, MPI_Request* request) {
  return comm_idup(comm, newcomm, request);  // hints: none is known
}

}  // namespace impl
}  // namespace detmpi
