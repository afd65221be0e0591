// Plans of the collective operations of neighbourhoods: one message for each edge.
#include "../topo/topology.hpp"
#include "block.hpp"
#include "impl.hpp"
#include "plan.hpp"

namespace detmpi {
namespace {

// Where a dimension of a grid has one or two places, one rank is a neighbour on both sides. What it sends to its left
// comes from this rank's right, so of each dimension the right-hand message is received first; in a distributed graph,
// messages of one rank to another are in the order of their edges.
size_t receive_turn(const Comm& comm, size_t i) { return topology_as<Cart>(comm) != nullptr ? i ^ 1 : i; }

template <typename ToSend, typename ToReceive>
PlanPtr exchanging(Comm& comm, ToSend&& to_send, ToReceive&& to_receive) {
  PlanPtr plan = make_plan(comm, Signature());
  const auto neighbours = neighbours_in(comm);
  if (!neighbours) return plan;  // only if nothing is checked
  for (size_t turn = 0; turn < neighbours->sources.size(); ++turn) {
    const size_t i = receive_turn(comm, turn);
    const Block b = to_receive(i);
    plan->receive(neighbours->sources[i], b.base, b.count, *b.type);
  }
  for (size_t i = 0; i < neighbours->destinations.size(); ++i) {
    const Block b = to_send(i);
    plan->send(neighbours->destinations[i], b.base, b.count, *b.type);
  }
  return plan;
}

// Blocks of one size, one after the other.
auto blocks_of(const void* buf, MPI_Count count, const Datatype& type) {
  return [=, &type](size_t i) { return Block{offset(buf, static_cast<int64_t>(i) * count, type), count, &type}; };
}

auto blocks_at(const void* buf, Integers counts, Integers displs, const Datatype& type) {
  return [=, &type](size_t i) { return Block{offset(buf, displs[i], type), counts[i], &type}; };
}

auto typed_blocks_at(const void* buf, Integers counts, const MPI_Aint displs[], const MPI_Datatype types[]) {
  return [=](size_t i) {
    return Block{static_cast<char*>(const_cast<void*>(buf)) + displs[i], counts[i], &datatype_or_null(types[i])};
  };
}

auto same_block(const void* buf, MPI_Count count, const Datatype& type) {
  return [=, &type](size_t) { return Block{const_cast<void*>(buf), count, &type}; };
}

}  // namespace

namespace impl {

PlanPtr plan_neighbor_allgather(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                                MPI_Count recvcount, const Datatype& recvtype, Comm& comm) {
  return exchanging(comm, same_block(sendbuf, sendcount, sendtype), blocks_of(recvbuf, recvcount, recvtype));
}

PlanPtr plan_neighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                                 Integers recvcounts, Integers displs, const Datatype& recvtype, Comm& comm) {
  return exchanging(comm, same_block(sendbuf, sendcount, sendtype), blocks_at(recvbuf, recvcounts, displs, recvtype));
}

PlanPtr plan_neighbor_alltoall(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf,
                               MPI_Count recvcount, const Datatype& recvtype, Comm& comm) {
  return exchanging(comm, blocks_of(sendbuf, sendcount, sendtype), blocks_of(recvbuf, recvcount, recvtype));
}

PlanPtr plan_neighbor_alltoallv(const void* sendbuf, Integers sendcounts, Integers sdispls, const Datatype& sendtype,
                                void* recvbuf, Integers recvcounts, Integers rdispls, const Datatype& recvtype,
                                Comm& comm) {
  return exchanging(comm, blocks_at(sendbuf, sendcounts, sdispls, sendtype),
                    blocks_at(recvbuf, recvcounts, rdispls, recvtype));
}

PlanPtr plan_neighbor_alltoallw(const void* sendbuf, Integers sendcounts, const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, Integers recvcounts,
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], Comm& comm) {
  return exchanging(comm, typed_blocks_at(sendbuf, sendcounts, sdispls, sendtypes),
                    typed_blocks_at(recvbuf, recvcounts, rdispls, recvtypes));
}

}  // namespace impl
}  // namespace detmpi
