#include "plan.hpp"

#include "../engine/events.hpp"
#include "../object/call.hpp"

namespace detmpi {
namespace {

constexpr int kNumberBits = 17;
constexpr int kHashBits = 13;
static_assert(1 << (kNumberBits + kHashBits) == kMostPlanTags);

// Members make their plans on a communicator in one order; it tells whose messages belong together. What the plan is
// for is in the tag, too, and what was before it: so those of different operations do not match.
int tag_of(Comm& comm, const Signature& signature) {
  const auto number = static_cast<int>(comm.plans++ % (1u << kNumberBits));
  const auto hash = static_cast<int>(message_hash(comm, signature) >> (64 - kHashBits));
  return kFirstPlanTag - (number << kHashBits | hash);
}

}  // namespace

Plan::Plan(Comm& comm, const Signature& signature)
    : comm_(comm),
      refusal_(begin_operation(comm, signature)),
      tag_(tag_of(comm, signature)),
      operation_(latest_operation(comm)),
      under_way_(comm.transport->board.under_way(), operation_) {}

void Plan::send(int peer, const void* base, int64_t count, const Datatype& type, Comm& on) {
  if (peer != MPI_PROC_NULL) messages_.push_back({true, &on, peer, const_cast<void*>(base), count, TypeRef(type)});
}

void Plan::receive(int peer, void* base, int64_t count, const Datatype& type, Comm& on) {
  if (peer != MPI_PROC_NULL) messages_.push_back({false, &on, peer, base, count, TypeRef(type)});
}

char* Plan::room(const Datatype& type, int64_t count) { return rooms_.emplace_back(type, count).base(); }

// Receives first: what a member sends to itself, or has been sent already, then goes straight to its place.
void Plan::start() {
  const auto hidden = hide_contents_ ? std::make_unique<ContentsHidden>() : nullptr;
  clear();
  doubtful_.clear();
  if (at_start_) at_start_();
  for (const bool sends : {false, true}) {
    for (const Message& m : messages_) {
      if (m.send != sends) continue;
      const Peer peer{m.peer, tag_, collective_context(*m.comm)};
      Request& part = parts().emplace_back();
      if (sends) {
        p2p_start_send(part, m.base, m.count, *m.type, *m.comm, peer, SendMode::kStandard);
      } else {
        p2p_start_recv(part, m.base, m.count, *m.type, *m.comm, peer);
        doubtful_.push_back(&part);
      }
    }
  }
}

void Plan::await_or_lose_parts() {
  for (Request& part : parts()) {
    if (part.kind == RequestKind::kRecv) await_or_lose(part, comm_, sender_of(part, comm_), operation_, call());
  }
  doubtful_.clear();
}

void Plan::look_for_lost_parts() {
  const auto is_known = [&](Request* part) {
    return look_whether_lost(*part, comm_, sender_of(*part, comm_), operation_);
  };
  if (std::erase_if(doubtful_, is_known) != 0) g_engine.note_change();
}

void Plan::add_marks(std::vector<chan::match::Need::Source>& marks) const {
  for (const Request* part : doubtful_) {
    if (!part->complete && !part->matched) marks.push_back(mark_of_begin(comm_, sender_of(*part, comm_), operation_));
  }
}

void Plan::want_marks(bool yes) { want_to_be_told(comm_, yes); }

void PlanDeleter::operator()(Plan* plan) const { delete plan; }

int plan_start(PlanPtr plan, MPI_Request* handle) {
  if (plan->refusal() != MPI_SUCCESS) return plan->refusal();
  Comm& comm = plan->comm();
  operation_start(OperationPtr(plan.release()), comm, handle);
  return MPI_SUCCESS;
}

int plan_keep(PlanPtr plan, MPI_Request* handle) {
  if (plan->refusal() != MPI_SUCCESS) return plan->refusal();
  Comm& comm = plan->comm();
  operation_keep(OperationPtr(plan.release()), comm, handle);
  return MPI_SUCCESS;
}

int plan_run(PlanPtr plan) {
  if (plan->refusal() != MPI_SUCCESS) return plan->refusal();
  Request request;
  request.kind = RequestKind::kOperation;
  request.comm = &plan->comm();
  request.post = g_clock;
  request.operation.reset(plan.release());
  request.operation->start();
  g_engine.block_until_complete(request);
  return p2p_status(request, MPI_STATUS_IGNORE);
}

}  // namespace detmpi
