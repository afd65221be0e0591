// Plans of the reductions. Whoever needs a result gets the contributions of all whom it depends on, and folds them in
// rank order when they are there: the same bits as those of the operations that block.
#include "../ops/op.hpp"
#include "impl.hpp"
#include "members.hpp"
#include "plan.hpp"

namespace detmpi {
namespace {

// Holds a reference: the program may free its operation meanwhile.
class OpRef {
 public:
  explicit OpRef(const Op& op) : op_(&op) { op_retain(op); }
  OpRef(const OpRef& other) : op_(other.op_) { op_retain(*op_); }
  OpRef& operator=(const OpRef&) = delete;
  ~OpRef() { op_release(*op_); }
  const Op& operator*() const { return *op_; }

 private:
  const Op* op_;
};

// The end of a reduction: contributions in rank order, laid out as in memory, and what becomes of their fold.
struct Fold {
  std::vector<const char*> contributions;
  char* accumulator;  // not one of them
  void* result;
  int64_t count;
  TypeRef type;
  OpRef op;

  int operator()() const {
    if (contributions.empty() || count == 0) return MPI_SUCCESS;
    copy_typed(accumulator, contributions[0], count, *type);
    for (size_t i = 1; i < contributions.size(); ++i) fold(*op, accumulator, contributions[i], count, *type);
    if (accumulator != result) copy_typed(result, accumulator, count, *type);
    return MPI_SUCCESS;
  }
};

struct Vector {
  const void* input;
  void* result;
  int64_t count;
  const Datatype& type;
  const Op& op;
  bool in_place;

  Vector(const void* sendbuf, void* recvbuf, int64_t n, const Datatype& t, const Op& o)
      : input(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf),
        result(recvbuf),
        count(n),
        type(t),
        op(o),
        in_place(sendbuf == MPI_IN_PLACE) {}
  const char* at(int64_t element) const { return static_cast<const char*>(input) + element * type.extent; }
};

// Receives `count` elements of each peer before `end`, the own ones, at `own`, being there, and folds those that begin
// with element `first` of each, `n` of them, into the result.
void fold_from(Plan& plan, const Vector& v, int end, const char* own, int64_t count, int64_t first, int64_t n) {
  std::vector<const char*> contributions;
  for (int from = 0; from < end; ++from) {
    if (!plan.inter() && from == plan.comm().rank) {
      contributions.push_back(own);
      continue;
    }
    char* room = plan.room(v.type, count);
    plan.receive(from, room, count, v.type);
    contributions.push_back(room + first * v.type.extent);
  }
  char* const accumulator = v.in_place ? plan.room(v.type, n) : static_cast<char*>(v.result);
  plan.at_end(Fold{std::move(contributions), accumulator, v.result, n, TypeRef(v.type), OpRef(v.op)});
}

// Everything to each peer from `begin` on, but to oneself.
void send_from(Plan& plan, const Vector& v, int begin) {
  for (int to = begin; to < plan.peers(); ++to) {
    if (plan.inter() || to != plan.comm().rank) plan.send(to, v.input, v.count, v.type);
  }
}

// On an inter-communicator the groups name the root, and cut the result, each in its own way.
Signature signature_of(const Vector& v) {
  return Signature().reduces(v.op, v.type).message_bytes(static_cast<size_t>(v.count) * v.type.size);
}

PlanPtr scanning(const Vector& v, bool inclusive, Comm& comm) {
  PlanPtr plan = make_plan(comm, signature_of(v));
  send_from(*plan, v, comm.rank + 1);
  fold_from(*plan, v, inclusive ? comm.rank + 1 : comm.rank, v.at(0), v.count, 0, v.count);
  return plan;
}

// `counts`: elements of the result at each member of this group. On an inter-communicator a member does not know how
// the other group shares its result, so that all of it goes to each of them.
PlanPtr scattering(const void* sendbuf, void* recvbuf, const std::vector<int64_t>& counts, const Datatype& type,
                   const Op& op, Comm& comm) {
  std::vector<int64_t> begins{0};
  for (const int64_t n : counts) begins.push_back(begins.back() + n);
  const Vector v(sendbuf, recvbuf, begins.back(), type, op);
  PlanPtr plan = make_plan(comm, signature_of(v));
  const auto me = static_cast<size_t>(comm.rank);
  if (comm.inter) {
    send_from(*plan, v, 0);
    fold_from(*plan, v, comm.peers, nullptr, v.count, begins[me], counts[me]);
    return plan;
  }
  for (int to = 0; to < comm.size; ++to) {
    const auto i = static_cast<size_t>(to);
    if (to != comm.rank) plan->send(to, v.at(begins[i]), counts[i], type);
  }
  fold_from(*plan, v, comm.size, v.at(begins[me]), counts[me], 0, counts[me]);
  return plan;
}

}  // namespace

namespace impl {

PlanPtr plan_reduce(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, int root,
                    Comm& comm) {
  const Vector v(sendbuf, recvbuf, count, type, op);
  PlanPtr plan = make_plan(comm, with_root(signature_of(v), comm, root));
  const bool is_root = comm.inter ? root == MPI_ROOT : root == comm.rank;
  if (is_root) fold_from(*plan, v, comm.peers, v.at(0), count, 0, count);
  else if (root >= 0) plan->send(root, v.input, count, type);
  return plan;
}

PlanPtr plan_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op,
                       Comm& comm) {
  const Vector v(sendbuf, recvbuf, count, type, op);
  PlanPtr plan = make_plan(comm, signature_of(v));
  send_from(*plan, v, 0);
  fold_from(*plan, v, comm.peers, v.at(0), count, 0, count);
  return plan;
}

PlanPtr plan_scan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
  return scanning({sendbuf, recvbuf, count, type, op}, true, comm);
}

PlanPtr plan_exscan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op,
                    Comm& comm) {
  return scanning({sendbuf, recvbuf, count, type, op}, false, comm);
}

PlanPtr plan_reduce_scatter(const void* sendbuf, void* recvbuf, Integers recvcounts, const Datatype& type, const Op& op,
                            Comm& comm) {
  return scattering(sendbuf, recvbuf, recvcounts.first(comm.size), type, op, comm);
}

PlanPtr plan_reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount, const Datatype& type,
                                  const Op& op, Comm& comm) {
  const std::vector<int64_t> counts(static_cast<size_t>(comm.size), recvcount);
  return scattering(sendbuf, recvbuf, counts, type, op, comm);
}

}  // namespace impl
}  // namespace detmpi
