// Process topologies: what MPI_Cart_create and its like attach to a communicator. A topology never changes, so the
// copies of a communicator share it. Ranks are those of the communicator; none is ever reordered.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace detmpi {

struct Comm;

// A grid; ranks are in row-major order.
struct Cart {
  std::vector<int> dims;
  std::vector<bool> periodic;

  size_t ndims() const { return dims.size(); }
  std::vector<int> coords_of(int rank) const;
  // MPI_PROC_NULL beyond the end of a dimension that is not periodic.
  int rank_of(const int* coords) const;
  int shifted(int rank, size_t dim, int64_t distance) const;
};

// Every rank knows the whole graph: the neighbours of rank r are the edges from ends[r - 1] (0 for rank 0) to ends[r].
struct Graph {
  std::vector<int> ends;
  std::vector<int> edges;

  std::vector<int> neighbours_of(int rank) const;
};

// Every rank knows its own edges, in the order that MPI_Dist_graph_neighbors gives.
struct DistGraph {
  struct Side {
    std::vector<int> ranks;
    std::vector<int> weights;  // none if the graph is not weighted
  };
  Side sources, destinations;
  bool weighted = false;
};

struct Topology {
  std::variant<Cart, Graph, DistGraph> kind;
};

// The communicator's topology if it is of this kind, otherwise null.
template <typename Kind>
const Kind* topology_as(const Comm& comm);

// Makes a communicator with a topology of those that give the same colour, ordered by key; collective.
int make_with_topology(Comm& parent, int color, int key, Topology topology, MPI_Comm* newcomm);
// The same of the first ranks, so many as there are nodes, who have to describe their topology alike. Those who do give
// the same colour: MPI_ERR_TOPOLOGY if they are not all.
int make_of_first(Comm& parent, int nodes, std::span<const int> description, Topology topology, MPI_Comm* newcomm);

// What neighbourhood collectives go through, in the order of their buffers' blocks: block i is received from
// sources[i], or sent to destinations[i]. MPI_PROC_NULL stands beyond the ends of a grid, and a rank may be there more
// than once.
struct Neighbours {
  std::vector<int> sources;
  std::vector<int> destinations;
};

// Of the calling rank; none if the communicator has no topology.
std::optional<Neighbours> neighbours_in(const Comm& comm);

// Fails with MPI_ERR_COMM if the communicator cannot get a topology.
int check_can_have_topology(const Comm& comm);
// MPI_ERR_TOPOLOGY: the communicator has none of this kind.
[[gnu::cold]] int no_topology(const Comm& comm, const char* kind);
// Fails with MPI_ERR_RANK if the rank is not one of the communicator's.
int check_rank(const Comm& comm, const char* parameter, int rank);

}  // namespace detmpi
