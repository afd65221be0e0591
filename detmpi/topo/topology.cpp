// What all topologies share.
#include "topology.hpp"

#include <climits>
#include <cstdint>

#include "../object/comm.hpp"
#include "../object/errors.hpp"
#include "../object/fold_digest.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

// In each dimension first the neighbour below, then the one above.
Neighbours neighbours(const Cart& cart, int rank) {
  Neighbours found;
  for (size_t dim = 0; dim < cart.ndims(); ++dim) {
    for (const int step : {-1, 1}) found.sources.push_back(cart.shifted(rank, dim, step));
  }
  found.destinations = found.sources;
  return found;
}

Neighbours neighbours(const Graph& graph, int rank) {
  const std::vector<int> all = graph.neighbours_of(rank);
  return {all, all};
}

Neighbours neighbours(const DistGraph& graph, int) { return {graph.sources.ranks, graph.destinations.ranks}; }

// A number of its own for every description, but for coincidences.
int color_of(std::span<const int> description) {
  uint64_t digest = description.size();
  for (const int number : description) digest = fold_digest(digest, static_cast<uint32_t>(number));
  return static_cast<int>(digest & INT_MAX);
}

}  // namespace

template <typename Kind>
const Kind* topology_as(const Comm& comm) {
  return comm.topology == nullptr ? nullptr : std::get_if<Kind>(&comm.topology->kind);
}
template const Cart* topology_as<Cart>(const Comm&);
template const Graph* topology_as<Graph>(const Comm&);
template const DistGraph* topology_as<DistGraph>(const Comm&);

int make_with_topology(Comm& parent, int color, int key, Topology topology, MPI_Comm* newcomm) {
  const int code = impl::comm_split(parent, color, key, newcomm);
  if (code == MPI_SUCCESS && *newcomm != MPI_COMM_NULL) {
    comm_from(*newcomm)->topology = std::make_shared<const Topology>(std::move(topology));
  }
  return code;
}

int make_of_first(Comm& parent, int nodes, std::span<const int> description, Topology topology, MPI_Comm* newcomm) {
  const int color = parent.rank < nodes ? color_of(description) : MPI_UNDEFINED;
  const int code = make_with_topology(parent, color, parent.rank, std::move(topology), newcomm);
  if (code != MPI_SUCCESS || *newcomm == MPI_COMM_NULL || comm_from(*newcomm)->size == nodes) return code;
  (void)impl::comm_free(newcomm);
  return make_error(MPI_ERR_TOPOLOGY, "another rank has given another topology");
}

std::optional<Neighbours> neighbours_in(const Comm& comm) {
  if (comm.topology == nullptr) return std::nullopt;
  return std::visit([&](const auto& kind) { return neighbours(kind, comm.rank); }, comm.topology->kind);
}

int check_can_have_topology(const Comm& comm) {
  if (!comm.inter) return MPI_SUCCESS;
  return make_error(MPI_ERR_COMM, "an inter-communicator cannot have a topology");
}

int no_topology(const Comm& comm, const char* kind) {
  return make_error(MPI_ERR_TOPOLOGY, "%s has no %s topology", comm_label(comm).c_str(), kind);
}

int check_rank(const Comm& comm, const char* parameter, int rank) {
  if (rank >= 0 && rank < comm.size) return MPI_SUCCESS;
  return make_error(MPI_ERR_RANK, "invalid %s %d (ranks are 0 to %d)", parameter, rank, comm.size - 1);
}

namespace impl {

int topo_test(Comm& comm, int* status) {
  constexpr int kStatus[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};  // in the order of the variant
  *status = comm.topology == nullptr ? MPI_UNDEFINED : kStatus[comm.topology->kind.index()];
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
