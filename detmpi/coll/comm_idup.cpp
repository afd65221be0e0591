// A copy of a communicator without waiting for anybody: what the members agree on elsewhere, one of them decides here,
// and tells the others by messages of a plan.
//
// Context numbers of such copies come from a range of their own, in which every rank has numbers that no other rank
// gives out. So copies that are under way at the same time, on communicators with members in common, have different
// ones. None is given out twice: that a member has freed its copy says nothing of the others, and when all have is an
// accident of timing.
//
// What a copy takes over from its parent is what that one has at the call: later the program may change or free it.
#include "../object/attributes.hpp"
#include "../object/errors.hpp"
#include "comm_setup.hpp"
#include "impl.hpp"
#include "members.hpp"
#include "plan.hpp"
#include "quit.hpp"

#include <algorithm>

namespace detmpi {
namespace {

// Up to the last that there is: a context has 30 bits (engine/p2p.hpp).
constexpr uint32_t kFirstContext = kFirstContextOfCopies;

uint32_t contexts_of_rank() { return kFirstContext / g_job->ranks; }

uint32_t g_given_out = 0;

// An inter-communicator needs two numbers.
uint32_t contexts_of(const Comm& comm) { return comm.inter ? 2 : 1; }

uint32_t give_out_contexts(const Comm& comm) {
  const uint32_t first = g_given_out;
  g_given_out += contexts_of(comm);
  return kFirstContext + static_cast<uint32_t>(g_engine.rank()) * contexts_of_rank() + first;
}

bool any_left(const Comm& comm) { return g_given_out + contexts_of(comm) <= contexts_of_rank(); }

// What the members are told.
struct Decision {
  struct ForBoth {
    uint32_t context = 0;
    spmc::EPageIndex log;  // of an inter-communicator
  } both;
  spmc::EPageIndex board;  // of this group
};

std::shared_ptr<Errhandler> hold(Errhandler& handler) {
  errhandler_retain(handler);
  return {&handler, [](Errhandler* held) { errhandler_release(*held); }};
}

struct Copy {
  explicit Copy(const Comm& parent) : topology(parent.topology), errhandler(hold(*parent.errhandler)) {
    code = attributes_copy(parent.handle, parent.attributes, attributes);
  }
  Decision decision;
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<Errhandler> errhandler;
  Attributes attributes;
  int code;  // of a callback that copies an attribute
};

// Of the two groups of an inter-communicator the one whose first member comes first in MPI_COMM_WORLD decides.
bool group_decides(const Comm& comm) { return !comm.inter || is_first_group(comm); }

const Datatype& bytes() { return *datatype_from(MPI_BYTE); }

template <typename Field>
void tell_all(Plan& plan, const Field& field, Comm& comm) {
  for (int to = 0; to < comm.peers; ++to) {
    if (comm.inter || to != comm.rank) plan.send(to, &field, sizeof field, bytes(), comm);
  }
}

// The own group learns everything from its first member, on an inter-communicator but for what the other group has
// chosen for both: that comes from there.
void exchange(Plan& plan, Decision& decision, Comm& comm) {
  Comm& group = comm.inter ? *comm.local : comm;
  const bool chosen_here = group_decides(comm);
  if (comm.inter && chosen_here && comm.rank == 0) tell_all(plan, decision.both, comm);
  if (!chosen_here) plan.receive(0, &decision.both, sizeof decision.both, bytes(), comm);
  if (comm.rank == 0) {
    if (chosen_here) tell_all(plan, decision.both, group);
    tell_all(plan, decision.board, group);
  } else {
    if (chosen_here) plan.receive(0, &decision.both, sizeof decision.both, bytes(), group);
    plan.receive(0, &decision.board, sizeof decision.board, bytes(), group);
  }
}

int finish(Copy& copied, Comm& parent, MPI_Comm* newcomm) {
  const auto& [both, board] = copied.decision;
  Comm& copy = parent.inter ? make_inter_copy(parent, both.context, board, both.log)
                            : make_intra_copy(parent, both.context, board);
  copy.topology = copied.topology;
  copy.attributes = std::move(copied.attributes);
  errhandler_retain(*copied.errhandler);
  errhandler_release(*copy.errhandler);
  copy.errhandler = copied.errhandler.get();
  *newcomm = copy.handle;
  if (copied.code == MPI_SUCCESS) return MPI_SUCCESS;
  (void)attributes_delete_all(copy);
  comm_close(copy);
  *newcomm = MPI_COMM_NULL;
  return copied.code;
}

}  // namespace

namespace impl {

int comm_idup(Comm& comm, MPI_Comm* newcomm, MPI_Request* request) {
  if (has_quit(comm)) return quit_code(comm);
  if (comm.rank == 0 && group_decides(comm)) {
    if (!any_left(comm)) {
      return make_error(MPI_ERR_OTHER, "no numbers are left for copies: each rank of a job of %u ranks has %u",
                        g_job->ranks, contexts_of_rank());
    }
  }
  const auto copy = std::make_shared<Copy>(comm);
  Decision& decision = copy->decision;
  if (comm.rank == 0 && group_decides(comm)) {
    decision.both.context = give_out_contexts(comm);
    if (comm.inter) decision.both.log = take_log(comm);
  }
  if (comm.rank == 0 && comm.size > 1) decision.board = take_board(comm.size);
  PlanPtr plan = make_plan(comm, Signature());
  plan->hide_contents();  // frame numbers
  exchange(*plan, decision, comm);
  plan->at_end([copy, &comm, newcomm] { return finish(*copy, comm, newcomm); });
  return plan_start(std::move(plan), request);
}

int comm_idup_with_info(Comm& comm, Info*, MPI_Comm* newcomm, MPI_Request* request) {
  return comm_idup(comm, newcomm, request);  // hints: none is known
}

}  // namespace impl
}  // namespace detmpi
