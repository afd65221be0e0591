// What the generated calls of forms for large counts (make_large_forms.py) convert arguments with.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdlib>
#include <deque>
#include <type_traits>
#include <vector>

namespace {

[[maybe_unused]] int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

[[maybe_unused]] int ranks(MPI_Comm comm) {
  int n = 0;
  PMPI_Comm_size(comm, &n);
  return n;
}

// Whom the communicator addresses.
[[maybe_unused]] int peers(MPI_Comm comm) {
  int n = 0, inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter == 0) return ranks(comm);
  PMPI_Comm_remote_size(comm, &n);
  return n;
}

struct Edges {
  int in = 0;
  int out = 0;
};

[[maybe_unused]] Edges edges(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, n = 0, weighted = 0;
  PMPI_Topo_test(comm, &kind);
  Edges found;
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &n);
    found = {2 * n, 2 * n};
  } else if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, rank_in(comm), &n);
    found = {n, n};
  } else if (kind == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &found.in, &found.out, &weighted);
  }
  return found;
}

// A copy that lasts: the operation may go on after the call.
template <typename To, typename From>
const To* widened(const From* list, MPI_Count n) {
  static std::deque<std::vector<To>> kept;
  if (list == nullptr) return nullptr;
  return kept.emplace_back(list, list + (n > 0 ? n : 0)).data();
}

// What the short form would have said.
template <typename To>
To narrowed(MPI_Count value) {
  const auto narrow = static_cast<To>(value);
  return narrow == value ? narrow : static_cast<To>(MPI_UNDEFINED);
}

}  // namespace
