// Plans of the operations that move data: barrier, broadcast, gather, scatter, allgather, all-to-all.
#include "../object/errors.hpp"
#include "block.hpp"
#include "impl.hpp"
#include "members.hpp"
#include "plan.hpp"

namespace detmpi {
namespace {

const Datatype& bytes() { return *datatype_from(MPI_BYTE); }

size_t size_of(int64_t count, const Datatype& type) { return static_cast<size_t>(count) * type.size; }

// In an operation with a root on an inter-communicator the members of the root's group say MPI_ROOT or MPI_PROC_NULL,
// those of the other group the root's rank.
bool is_root(const Comm& comm, int root) { return comm.inter ? root == MPI_ROOT : root == comm.rank; }
bool is_leaf(const Comm& comm, int root) { return comm.inter ? root >= 0 : true; }

// `block_of`: the block for, or from, each peer.
template <typename BlockOf>
void send_each(Plan& plan, BlockOf&& block_of, int but = MPI_PROC_NULL) {
  for (int to = 0; to < plan.peers(); ++to) {
    const Block b = block_of(to);
    if (to != but) plan.send(to, b.base, b.count, *b.type);
  }
}

template <typename BlockOf>
void receive_each(Plan& plan, BlockOf&& block_of, int but = MPI_PROC_NULL) {
  for (int from = 0; from < plan.peers(); ++from) {
    const Block b = block_of(from);
    if (from != but) plan.receive(from, b.base, b.count, *b.type);
  }
}

template <typename BlockOf>
PlanPtr gathering(const void* buf, int64_t count, const Datatype& type, BlockOf&& block_of, int root, Comm& comm,
                  const Signature& signature) {
  PlanPtr plan = make_plan(comm, signature);
  const bool in_place = !comm.inter && buf == MPI_IN_PLACE;
  if (is_root(comm, root)) receive_each(*plan, block_of, in_place ? comm.rank : MPI_PROC_NULL);
  if (is_leaf(comm, root) && !in_place) plan->send(root, buf, count, type);
  return plan;
}

template <typename BlockOf>
PlanPtr scattering(BlockOf&& block_of, void* buf, int64_t count, const Datatype& type, int root, Comm& comm,
                   const Signature& signature) {
  PlanPtr plan = make_plan(comm, signature);
  const bool in_place = !comm.inter && buf == MPI_IN_PLACE;
  if (is_root(comm, root)) send_each(*plan, block_of, in_place ? comm.rank : MPI_PROC_NULL);
  if (is_leaf(comm, root) && !in_place) plan->receive(root, buf, count, type);
  return plan;
}

// In place, the own contribution stands where the others find theirs.
template <typename BlockOf>
PlanPtr allgathering(const void* buf, int64_t count, const Datatype& type, BlockOf&& block_of, Comm& comm) {
  PlanPtr plan = make_plan(comm, Signature());
  const bool in_place = buf == MPI_IN_PLACE;
  const Block mine = in_place ? block_of(comm.rank) : Block{const_cast<void*>(buf), count, &type};
  const int but = in_place ? comm.rank : MPI_PROC_NULL;
  receive_each(*plan, block_of, but);
  send_each(
      *plan, [&](int) { return mine; }, but);
  return plan;
}

// In place, what is sent is what stands in the receive buffer at the start: it is packed then.
template <typename BlockOf>
void send_copies(Plan& plan, BlockOf&& block_of) {
  struct Copy {
    char* packed;
    void* base;
    int64_t count;
    TypeRef type;
  };
  std::vector<Copy> copies;
  for (int to = 0; to < plan.peers(); ++to) {
    const Block b = block_of(to);
    const auto size = static_cast<int64_t>(b.bytes());
    char* packed = plan.room(bytes(), size);
    copies.push_back({packed, b.base, b.count, TypeRef(*b.type)});
    plan.send(to, packed, size, bytes());
  }
  plan.at_start([copies = std::move(copies)] {
    for (const Copy& c : copies) {
      if (c.packed != nullptr) pack_all(c.packed, c.base, c.count, *c.type);
    }
  });
}

template <typename ToSend, typename ToReceive>
PlanPtr exchanging(bool in_place, ToSend&& to_send, ToReceive&& to_receive, Comm& comm) {
  PlanPtr plan = make_plan(comm, Signature());
  receive_each(*plan, to_receive);
  if (in_place) send_copies(*plan, to_receive);
  else send_each(*plan, to_send);
  return plan;
}

}  // namespace

namespace impl {

PlanPtr plan_barrier(Comm& comm) {
  PlanPtr plan = make_plan(comm, Signature());
  const auto nothing = [](int) { return Block{nullptr, 0, &bytes()}; };
  const int but = comm.inter ? MPI_PROC_NULL : comm.rank;
  receive_each(*plan, nothing, but);
  send_each(*plan, nothing, but);
  return plan;
}

PlanPtr plan_bcast(void* buffer, MPI_Count count, const Datatype& type, int root, Comm& comm) {
  PlanPtr plan = make_plan(comm, with_root({}, comm, root).message_bytes(size_of(count, type)));
  const auto all = [&](int) { return Block{buffer, count, &type}; };
  if (is_root(comm, root)) send_each(*plan, all, comm.inter ? MPI_PROC_NULL : root);
  else if (is_leaf(comm, root)) plan->receive(root, buffer, count, type);
  return plan;
}

PlanPtr plan_gather(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                    MPI_Count recvcount, const Datatype& recvtype, int root, Comm& comm) {
  const auto block = [&](int i) {
    return Block{offset(recvbuf, int64_t{i} * recvcount, recvtype), recvcount, &recvtype};
  };
  const size_t size = is_root(comm, root) ? size_of(recvcount, recvtype) : size_of(sendcount, sendtype);
  return gathering(sendbuf, sendcount, sendtype, block, root, comm, with_root({}, comm, root).message_bytes(size));
}

PlanPtr plan_gatherv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                     Integers recvcounts, Integers displs, const Datatype& recvtype, int root, Comm& comm) {
  const auto block = [&](int i) { return Block{offset(recvbuf, displs[i], recvtype), recvcounts[i], &recvtype}; };
  return gathering(sendbuf, sendcount, sendtype, block, root, comm, with_root({}, comm, root));
}

PlanPtr plan_scatter(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                     MPI_Count recvcount, const Datatype& recvtype, int root, Comm& comm) {
  const auto block = [&](int i) {
    return Block{offset(sendbuf, int64_t{i} * sendcount, sendtype), sendcount, &sendtype};
  };
  const size_t size = is_root(comm, root) ? size_of(sendcount, sendtype) : size_of(recvcount, recvtype);
  return scattering(block, recvbuf, recvcount, recvtype, root, comm, with_root({}, comm, root).message_bytes(size));
}

PlanPtr plan_scatterv(const void* sendbuf, Integers sendcounts, Integers displs, const Datatype& sendtype,
                      void* recvbuf, MPI_Count recvcount, const Datatype& recvtype, int root, Comm& comm) {
  const auto block = [&](int i) { return Block{offset(sendbuf, displs[i], sendtype), sendcounts[i], &sendtype}; };
  return scattering(block, recvbuf, recvcount, recvtype, root, comm, with_root({}, comm, root));
}

PlanPtr plan_allgather(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                       MPI_Count recvcount, const Datatype& recvtype, Comm& comm) {
  const auto block = [&](int i) {
    return Block{offset(recvbuf, int64_t{i} * recvcount, recvtype), recvcount, &recvtype};
  };
  return allgathering(sendbuf, sendcount, sendtype, block, comm);
}

PlanPtr plan_allgatherv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                        Integers recvcounts, Integers displs, const Datatype& recvtype, Comm& comm) {
  const auto block = [&](int i) { return Block{offset(recvbuf, displs[i], recvtype), recvcounts[i], &recvtype}; };
  return allgathering(sendbuf, sendcount, sendtype, block, comm);
}

PlanPtr plan_alltoall(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                      MPI_Count recvcount, const Datatype& recvtype, Comm& comm) {
  const auto out = [&](int i) {
    return Block{offset(sendbuf, int64_t{i} * sendcount, sendtype), sendcount, &sendtype};
  };
  const auto in = [&](int i) { return Block{offset(recvbuf, int64_t{i} * recvcount, recvtype), recvcount, &recvtype}; };
  return exchanging(sendbuf == MPI_IN_PLACE, out, in, comm);
}

PlanPtr plan_alltoallv(const void* sendbuf, Integers sendcounts, Integers sdispls, const Datatype& sendtype,
                       void* recvbuf, Integers recvcounts, Integers rdispls, const Datatype& recvtype, Comm& comm) {
  const auto out = [&](int i) { return Block{offset(sendbuf, sdispls[i], sendtype), sendcounts[i], &sendtype}; };
  const auto in = [&](int i) { return Block{offset(recvbuf, rdispls[i], recvtype), recvcounts[i], &recvtype}; };
  return exchanging(sendbuf == MPI_IN_PLACE, out, in, comm);
}

PlanPtr plan_alltoallw(const void* sendbuf, Integers sendcounts, Integers sdispls, const MPI_Datatype sendtypes[],
                       void* recvbuf, Integers recvcounts, Integers rdispls, const MPI_Datatype recvtypes[],
                       Comm& comm) {
  const auto at = [](const void* base, int64_t displ) { return static_cast<char*>(const_cast<void*>(base)) + displ; };
  const auto out = [&](int i) {
    return Block{at(sendbuf, sdispls[i]), sendcounts[i], &datatype_or_null(sendtypes[i])};
  };
  const auto in = [&](int i) { return Block{at(recvbuf, rdispls[i]), recvcounts[i], &datatype_or_null(recvtypes[i])}; };
  return exchanging(sendbuf == MPI_IN_PLACE, out, in, comm);
}

}  // namespace impl
}  // namespace detmpi
