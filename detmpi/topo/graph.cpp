// Graph topologies that every rank gives and knows in full.
#include <algorithm>

#include "../object/comm.hpp"
#include "../object/errors.hpp"
#include "impl.hpp"
#include "topology.hpp"

namespace detmpi {

std::vector<int> Graph::neighbours_of(int rank) const {
  const int begin = rank == 0 ? 0 : ends[static_cast<size_t>(rank) - 1];
  return {edges.begin() + begin, edges.begin() + ends[static_cast<size_t>(rank)]};
}

namespace {

constexpr const char* kKind = "graph";

int check_edges(int nnodes, const int index[], const int edges[]) {
  int before = 0;
  for (int node = 0; node < nnodes; ++node) {
    if (index[node] < before) {
      return make_error(MPI_ERR_ARG, "index[%d] is %d, less than what is before it", node, index[node]);
    }
    before = index[node];
  }
  if (before > 0 && edges == nullptr) return make_error(MPI_ERR_ARG, "edges is null");
  for (int i = 0; i < before; ++i) {
    if (edges[i] < 0 || edges[i] >= nnodes) {
      return make_error(MPI_ERR_ARG, "edges[%d] is %d (nodes are 0 to %d)", i, edges[i], nnodes - 1);
    }
  }
  return MPI_SUCCESS;
}

int check_graph(const Comm& comm, int nnodes, const int index[], const int edges[]) {
  if (const int code = check_can_have_topology(comm); code != MPI_SUCCESS) return code;
  if (nnodes > comm.size) {
    return make_error(MPI_ERR_ARG, "nnodes is %d, more than the communicator's %d ranks", nnodes, comm.size);
  }
  return check_edges(nnodes, index, edges);
}

int check_room(const char* parameter, int room, size_t needed) {
  if (static_cast<size_t>(room) >= needed) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "%s is %d, but there are %zu", parameter, room, needed);
}

}  // namespace

namespace impl {

int graph_create(Comm& comm_old, int nnodes, const int index[], const int edges[], int, MPI_Comm* comm_graph) {
  if (const int code = check_graph(comm_old, nnodes, index, edges); code != MPI_SUCCESS) return code;
  const int total = nnodes == 0 ? 0 : index[nnodes - 1];
  Graph graph{{index, index + nnodes}, {edges, edges + total}};
  std::vector<int> description = graph.ends;
  description.insert(description.end(), graph.edges.begin(), graph.edges.end());
  return make_of_first(comm_old, nnodes, description, {std::move(graph)}, comm_graph);
}

int graph_map(Comm& comm, int nnodes, const int index[], const int edges[], int* newrank) {
  if (const int code = check_graph(comm, nnodes, index, edges); code != MPI_SUCCESS) return code;
  *newrank = comm.rank < nnodes ? comm.rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int graphdims_get(Comm& comm, int* nnodes, int* nedges) {
  const Graph* graph = topology_as<Graph>(comm);
  if (graph == nullptr) return no_topology(comm, kKind);
  *nnodes = static_cast<int>(graph->ends.size());
  *nedges = static_cast<int>(graph->edges.size());
  return MPI_SUCCESS;
}

int graph_get(Comm& comm, int maxindex, int maxedges, int index[], int edges[]) {
  const Graph* graph = topology_as<Graph>(comm);
  if (graph == nullptr) return no_topology(comm, kKind);
  if (const int code = check_room("maxindex", maxindex, graph->ends.size()); code != MPI_SUCCESS) return code;
  if (const int code = check_room("maxedges", maxedges, graph->edges.size()); code != MPI_SUCCESS) return code;
  std::copy(graph->ends.begin(), graph->ends.end(), index);
  std::copy(graph->edges.begin(), graph->edges.end(), edges);
  return MPI_SUCCESS;
}

int graph_neighbors_count(Comm& comm, int rank, int* nneighbors) {
  const Graph* graph = topology_as<Graph>(comm);
  if (graph == nullptr) return no_topology(comm, kKind);
  if (const int code = check_rank(comm, "rank", rank); code != MPI_SUCCESS) return code;
  *nneighbors = static_cast<int>(graph->neighbours_of(rank).size());
  return MPI_SUCCESS;
}

int graph_neighbors(Comm& comm, int rank, int maxneighbors, int neighbors[]) {
  const Graph* graph = topology_as<Graph>(comm);
  if (graph == nullptr) return no_topology(comm, kKind);
  if (const int code = check_rank(comm, "rank", rank); code != MPI_SUCCESS) return code;
  const std::vector<int> found = graph->neighbours_of(rank);
  if (const int code = check_room("maxneighbors", maxneighbors, found.size()); code != MPI_SUCCESS) return code;
  std::copy(found.begin(), found.end(), neighbors);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
