// Graph topologies of which every rank gives some edges and knows its own.
#include <algorithm>
#include <climits>
#include <numeric>

#include "../object/comm.hpp"
#include "../object/errors.hpp"
#include "../types/datatype.hpp"
#include "impl.hpp"
#include "topology.hpp"

namespace detmpi {
namespace {

constexpr const char* kKind = "distributed graph";

// One end of an edge, as the other end sees it. Two ints, as in MPI_2INT.
struct Edge {
  int rank;
  int weight;
};
using Edges = std::vector<Edge>;

bool has_weights(const int* weights) { return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY; }

// `weights` may be MPI_UNWEIGHTED.
int check_list(const Comm& comm, const char* name, int count, const int ranks[], const int weights[]) {
  if (count > 0 && ranks == nullptr) return make_error(MPI_ERR_ARG, "the array of %s is null", name);
  if (count > 0 && (weights == nullptr || weights == MPI_WEIGHTS_EMPTY)) {
    return make_error(MPI_ERR_ARG, "the weights of %s are missing", name);
  }
  for (int i = 0; i < count; ++i) {
    if (const int code = check_rank(comm, name, ranks[i]); code != MPI_SUCCESS) return code;
    if (has_weights(weights) && weights[i] < 0) {
      return make_error(MPI_ERR_ARG, "the weight of element %d of %s is %d (must not be negative)", i, name,
                        weights[i]);
    }
  }
  return MPI_SUCCESS;
}

DistGraph::Side side_of(int count, const int ranks[], const int weights[]) {
  DistGraph::Side side{{ranks, ranks + count}, {}};
  if (has_weights(weights)) side.weights.assign(weights, weights + count);
  return side;
}

DistGraph::Side side_of(const Edges& edges, bool weighted) {
  DistGraph::Side side;
  for (const Edge& edge : edges) {
    side.ranks.push_back(edge.rank);
    if (weighted) side.weights.push_back(edge.weight);
  }
  return side;
}

std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  return starts;
}

// Sends every rank its list. Returns what all have sent to this one, in the order of their ranks; so the edges from one
// rank to another are in the same order at both.
Edges deliver(Comm& comm, const std::vector<Edges>& lists) {
  std::vector<int> send_counts, receive_counts(lists.size());
  Edges out;
  for (const Edges& list : lists) {
    send_counts.push_back(static_cast<int>(list.size()));
    out.insert(out.end(), list.begin(), list.end());
  }
  const Datatype& number = *datatype_from(MPI_INT);
  (void)impl::alltoall(send_counts.data(), 1, number, receive_counts.data(), 1, number, comm);
  const std::vector<int> send_starts = starts_of(send_counts), receive_starts = starts_of(receive_counts);
  Edges in(static_cast<size_t>(receive_starts.back() + receive_counts.back()));
  const Datatype& edge = *datatype_from(MPI_2INT);
  (void)impl::alltoallv(out.data(), send_counts.data(), send_starts.data(), edge, in.data(), receive_counts.data(),
                        receive_starts.data(), edge, comm);
  return in;
}

int check_degrees(int n, const int degrees[], int* edges) {
  int64_t total = 0;
  for (int i = 0; i < n; ++i) {
    if (degrees[i] < 0) return make_error(MPI_ERR_ARG, "degrees[%d] is %d (must not be negative)", i, degrees[i]);
    total += degrees[i];
    if (total > INT_MAX) return make_error(MPI_ERR_ARG, "there are more than %d edges", INT_MAX);
  }
  *edges = static_cast<int>(total);
  return MPI_SUCCESS;
}

void copy_side(const DistGraph::Side& side, int room, int ranks[], int weights[]) {
  std::copy_n(side.ranks.begin(), std::min(static_cast<size_t>(room), side.ranks.size()), ranks);
  if (!has_weights(weights)) return;
  std::copy_n(side.weights.begin(), std::min(static_cast<size_t>(room), side.weights.size()), weights);
}

int check_output(const DistGraph& graph, const char* name, int room, const int weights[]) {
  if (!graph.weighted || room == 0 || weights != nullptr) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "the array for the weights of %s is null", name);
}

}  // namespace

namespace impl {

int dist_graph_create_adjacent(Comm& comm_old, int indegree, const int sources[], const int sourceweights[],
                               int outdegree, const int destinations[], const int destweights[], Info*, int,
                               MPI_Comm* comm_dist_graph) {
  int code = check_can_have_topology(comm_old);
  if (code == MPI_SUCCESS) code = check_list(comm_old, "sources", indegree, sources, sourceweights);
  if (code == MPI_SUCCESS) code = check_list(comm_old, "destinations", outdegree, destinations, destweights);
  if (code != MPI_SUCCESS) return code;
  const bool weighted = sourceweights != MPI_UNWEIGHTED;
  if (weighted != (destweights != MPI_UNWEIGHTED)) {
    return make_error(MPI_ERR_ARG, "only one of sourceweights and destweights is MPI_UNWEIGHTED");
  }
  DistGraph graph{side_of(indegree, sources, sourceweights), side_of(outdegree, destinations, destweights), weighted};
  return make_with_topology(comm_old, 0, comm_old.rank, {std::move(graph)}, comm_dist_graph);
}

int dist_graph_create(Comm& comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], Info*, int, MPI_Comm* comm_dist_graph) {
  int edges = 0;
  int code = check_can_have_topology(comm_old);
  if (code == MPI_SUCCESS) code = check_list(comm_old, "sources", n, sources, MPI_UNWEIGHTED);
  if (code == MPI_SUCCESS) code = check_degrees(n, degrees, &edges);
  if (code == MPI_SUCCESS) code = check_list(comm_old, "destinations", edges, destinations, weights);
  if (code != MPI_SUCCESS) return code;
  const bool weighted = weights != MPI_UNWEIGHTED;
  std::vector<Edges> out(static_cast<size_t>(comm_old.size)), in(out.size());
  for (int i = 0, edge = 0; i < n; ++i) {
    for (const int end = edge + degrees[i]; edge < end; ++edge) {
      const int weight = weighted ? weights[edge] : 0;
      out[static_cast<size_t>(sources[i])].push_back({destinations[edge], weight});
      in[static_cast<size_t>(destinations[edge])].push_back({sources[i], weight});
    }
  }
  DistGraph graph{side_of(deliver(comm_old, in), weighted), side_of(deliver(comm_old, out), weighted), weighted};
  return make_with_topology(comm_old, 0, comm_old.rank, {std::move(graph)}, comm_dist_graph);
}

int dist_graph_neighbors_count(Comm& comm, int* indegree, int* outdegree, int* weighted) {
  const DistGraph* graph = topology_as<DistGraph>(comm);
  if (graph == nullptr) return no_topology(comm, kKind);
  *indegree = static_cast<int>(graph->sources.ranks.size());
  *outdegree = static_cast<int>(graph->destinations.ranks.size());
  *weighted = graph->weighted;
  return MPI_SUCCESS;
}

int dist_graph_neighbors(Comm& comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                         int destinations[], int destweights[]) {
  const DistGraph* graph = topology_as<DistGraph>(comm);
  if (graph == nullptr) return no_topology(comm, kKind);
  int code = check_output(*graph, "sources", maxindegree, sourceweights);
  if (code == MPI_SUCCESS) code = check_output(*graph, "destinations", maxoutdegree, destweights);
  if (code != MPI_SUCCESS) return code;
  copy_side(graph->sources, maxindegree, sources, sourceweights);
  copy_side(graph->destinations, maxoutdegree, destinations, destweights);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
