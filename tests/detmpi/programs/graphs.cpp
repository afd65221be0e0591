// Graph topologies, given in full by every rank or a piece by each: the same edges come back, in a fixed order.
#include "colls.hpp"

using namespace mpi_test;

namespace {

int kind_of(MPI_Comm comm) {
  int kind = 0;
  MPI_Topo_test(comm, &kind);
  return kind;
}

int many(const std::vector<int>& list) { return static_cast<int>(list.size()); }

// A star around rank 0 of all but the last rank, with an edge of rank 0 to itself.
void star() {
  const int nodes = std::max(1, g_size - 1);
  std::vector<int> ends = {nodes}, edges;
  for (int r = 0; r < nodes; ++r) edges.push_back(r);
  for (int r = 1; r < nodes; ++r) {
    ends.push_back(ends.back() + 1);
    edges.push_back(0);
  }
  MPI_Comm comm, copy;
  MPI_Graph_create(MPI_COMM_WORLD, nodes, ends.data(), edges.data(), 1, &comm);
  EXPECT((comm == MPI_COMM_NULL) == (g_rank >= nodes));
  int mapped = -1;
  MPI_Graph_map(MPI_COMM_WORLD, nodes, ends.data(), edges.data(), &mapped);
  EXPECT(mapped == (g_rank < nodes ? g_rank : MPI_UNDEFINED));
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_dup(comm, &copy);
  for (const MPI_Comm c : {comm, copy}) {
    EXPECT(kind_of(c) == MPI_GRAPH);
    int n = -1, m = -1;
    MPI_Graphdims_get(c, &n, &m);
    EXPECT(n == nodes && m == many(edges));
    std::vector<int> same_ends(ends.size()), same_edges(edges.size());
    MPI_Graph_get(c, nodes, many(edges), same_ends.data(), same_edges.data());
    EXPECT(same_ends == ends && same_edges == edges);
    for (int r = 0; r < nodes; ++r) {
      MPI_Graph_neighbors_count(c, r, &n);
      EXPECT(n == (r == 0 ? nodes : 1));
      std::vector<int> near(static_cast<size_t>(n));
      MPI_Graph_neighbors(c, r, n, near.data());
      for (int i = 0; i < n; ++i) EXPECT(near[static_cast<size_t>(i)] == i);
    }
  }
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
}

void empty() {
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &comm);
  EXPECT(comm == MPI_COMM_NULL);
}

struct Lists {
  std::vector<int> sources, in_weights, destinations, out_weights;
  bool weighted = false;
};

Lists lists_of(MPI_Comm comm) {
  EXPECT(kind_of(comm) == MPI_DIST_GRAPH);
  int in = -1, out = -1, weighted = -1;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  const auto i = static_cast<size_t>(in), o = static_cast<size_t>(out);
  Lists lists{std::vector<int>(i), std::vector<int>(i, -1), std::vector<int>(o), std::vector<int>(o, -1),
              weighted != 0};
  MPI_Dist_graph_neighbors(comm, in, lists.sources.data(), lists.in_weights.data(), out, lists.destinations.data(),
                           lists.out_weights.data());
  return lists;
}

// A ring in which every edge is there twice, the second time with another weight.
void expect_ring(MPI_Comm comm, bool weighted) {
  const Lists lists = lists_of(comm);
  EXPECT(lists.weighted == weighted);
  EXPECT(lists.sources == std::vector<int>({left(), left()}));
  EXPECT(lists.destinations == std::vector<int>({right(), right()}));
  const auto weights = [&](int from) { return weighted ? std::vector<int>({from, 1000}) : std::vector<int>({-1, -1}); };
  EXPECT(lists.in_weights == weights(left()));
  EXPECT(lists.out_weights == weights(g_rank));
  // As many as there is room for, and no weights if not asked for.
  int source = -1, destination = -1;
  MPI_Dist_graph_neighbors(comm, 1, &source, MPI_UNWEIGHTED, 1, &destination, MPI_UNWEIGHTED);
  EXPECT(source == left() && destination == right());
}

void rings() {
  const int sources[] = {left(), left()}, in_weights[] = {left(), 1000};
  const int destinations[] = {right(), right()}, out_weights[] = {g_rank, 1000};
  const int once = 1, twice = 2;
  for (const bool weighted : {true, false}) {
    const int* in = weighted ? in_weights : MPI_UNWEIGHTED;
    const int* out = weighted ? out_weights : MPI_UNWEIGHTED;
    MPI_Comm comm, copy;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, in, 2, destinations, out, MPI_INFO_NULL, 0, &comm);
    expect_ring(comm, weighted);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&comm);
    expect_ring(copy, weighted);
    MPI_Comm_free(&copy);
    // Each gives the edges from itself, then those to itself.
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &g_rank, &twice, destinations, out, MPI_INFO_NULL, 0, &comm);
    expect_ring(comm, weighted);
    MPI_Comm_free(&comm);
    const int ones[] = {once, once}, myself[] = {g_rank, g_rank};
    MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, ones, myself, in, MPI_INFO_NULL, 0, &comm);
    expect_ring(comm, weighted);
    MPI_Comm_free(&comm);
  }
}

// The last rank gives all edges: from every rank to all that are not below it.
void given_by_one() {
  std::vector<int> sources, degrees, destinations, weights;
  if (g_rank == g_size - 1) {
    for (int r = 0; r < g_size; ++r) {
      sources.push_back(r);
      degrees.push_back(g_size - r);
      for (int to = r; to < g_size; ++to) {
        destinations.push_back(to);
        weights.push_back(r * 100 + to);
      }
    }
  }
  MPI_Comm comm;
  const int* given = weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
  MPI_Dist_graph_create(MPI_COMM_WORLD, many(sources), sources.data(), degrees.data(), destinations.data(), given,
                        MPI_INFO_NULL, 0, &comm);
  const Lists lists = lists_of(comm);
  EXPECT(lists.weighted && many(lists.sources) == g_rank + 1 && many(lists.destinations) == g_size - g_rank);
  for (int r = 0; r < g_size; ++r) {
    if (r <= g_rank) {
      const auto i = static_cast<size_t>(r);
      EXPECT(lists.sources[i] == r && lists.in_weights[i] == r * 100 + g_rank);
    }
    if (r >= g_rank) {
      const auto i = static_cast<size_t>(r - g_rank);
      EXPECT(lists.destinations[i] == r && lists.out_weights[i] == g_rank * 100 + r);
    }
  }
  MPI_Comm_free(&comm);
}

void without_edges() {
  for (const bool weighted : {true, false}) {
    const int* weights = weighted ? MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED;
    MPI_Comm comm;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 0, nullptr, nullptr, nullptr, weights, MPI_INFO_NULL, 0, &comm);
    EXPECT(lists_of(comm).sources.empty() && lists_of(comm).weighted == weighted);
    MPI_Comm_free(&comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, weights, 0, nullptr, weights, MPI_INFO_NULL, 0, &comm);
    EXPECT(lists_of(comm).destinations.empty() && lists_of(comm).weighted == weighted);
    MPI_Comm_free(&comm);
  }
}

void graphs_refused() {
  MPI_Comm made;
  int out = 0;
  const auto create = [&](int nodes, std::vector<int> ends, std::vector<int> edges) {
    return error_class(MPI_Graph_create(MPI_COMM_WORLD, nodes, ends.data(), edges.data(), 0, &made));
  };
  EXPECT(create(g_size + 1, std::vector<int>(static_cast<size_t>(g_size) + 1), {}) == MPI_ERR_ARG);
  EXPECT(create(-1, {}, {}) == MPI_ERR_ARG);
  EXPECT(create(1, {1}, {1}) == MPI_ERR_ARG);
  EXPECT(create(1, {1}, {-1}) == MPI_ERR_ARG);
  EXPECT(create(1, {-1}, {}) == MPI_ERR_ARG);
  if (g_size > 1) EXPECT(create(2, {1, 0}, {0}) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &out)) == MPI_ERR_TOPOLOGY);
  EXPECT(error_class(MPI_Dist_graph_neighbors(MPI_COMM_WORLD, 0, &out, &out, 0, &out, &out)) == MPI_ERR_TOPOLOGY);
  const int ends = 2, edges[] = {0, 0};
  MPI_Graph_create(MPI_COMM_WORLD, 1, &ends, edges, 0, &made);
  if (made == MPI_COMM_NULL) return;
  EXPECT(error_class(MPI_Graph_get(made, 0, 2, &out, &out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Graph_get(made, 1, 1, &out, &out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Graph_neighbors(made, 0, 1, &out)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Graph_neighbors(made, 1, 2, &out)) == MPI_ERR_RANK);
  EXPECT(error_class(MPI_Graph_neighbors_count(made, -1, &out)) == MPI_ERR_RANK);
  EXPECT(error_class(MPI_Cartdim_get(made, &out)) == MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&made);
}

// The odd ones have an edge that the others know nothing of.
void graphs_that_differ() {
  std::vector<int> index(static_cast<size_t>(g_size), 0);
  if (g_rank % 2 == 1) index.back() = 1;
  const int edge = 0;
  MPI_Comm made = MPI_COMM_WORLD;
  const int code = MPI_Graph_create(MPI_COMM_WORLD, g_size, index.data(), &edge, 0, &made);
  if (g_size > 1) EXPECT(error_class(code) == MPI_ERR_TOPOLOGY && made == MPI_COMM_NULL);
  else MPI_Comm_free(&made);
}

void dist_graphs_refused() {
  MPI_Comm made;
  const auto adjacent = [&](int degree, std::vector<int> ranks, const int* in, const int* out) {
    return error_class(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, ranks.data(), in, degree, ranks.data(),
                                                      out, MPI_INFO_NULL, 0, &made));
  };
  const int one = 1, minus = -1;
  EXPECT(adjacent(1, {g_size}, MPI_UNWEIGHTED, MPI_UNWEIGHTED) == MPI_ERR_RANK);
  EXPECT(adjacent(1, {-1}, MPI_UNWEIGHTED, MPI_UNWEIGHTED) == MPI_ERR_RANK);
  EXPECT(adjacent(-1, {0}, MPI_UNWEIGHTED, MPI_UNWEIGHTED) == MPI_ERR_ARG);
  EXPECT(adjacent(1, {0}, &one, MPI_UNWEIGHTED) == MPI_ERR_ARG);
  EXPECT(adjacent(1, {0}, &one, &minus) == MPI_ERR_ARG);
  EXPECT(adjacent(1, {0}, &one, nullptr) == MPI_ERR_ARG);
  EXPECT(adjacent(1, {0}, MPI_WEIGHTS_EMPTY, &one) == MPI_ERR_ARG);
  const auto any = [&](std::vector<int> sources, std::vector<int> degrees, std::vector<int> destinations) {
    return error_class(MPI_Dist_graph_create(MPI_COMM_WORLD, many(sources), sources.data(), degrees.data(),
                                             destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  };
  EXPECT(any({g_size}, {1}, {0}) == MPI_ERR_RANK);
  EXPECT(any({0}, {1}, {g_size}) == MPI_ERR_RANK);
  EXPECT(any({0}, {-1}, {0}) == MPI_ERR_ARG);
  EXPECT(any({0, 0}, {INT32_MAX, INT32_MAX}, {0}) == MPI_ERR_ARG);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  star();
  empty();
  rings();
  given_by_one();
  without_edges();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  graphs_refused();
  graphs_that_differ();
  dist_graphs_refused();
  Report report;
  report.line("node %d of %d", g_rank, g_size);
  report.print();
}
