// Collective operations of neighbourhoods: every block comes from the right edge, on grids (also where one rank is a
// neighbour on two sides, or its own) and in graphs, in all forms.
#include "colls.hpp"

using namespace mpi_test;

namespace {

enum class Form { kBlocking, kNonblocking, kPersistent };

struct Edges {
  std::vector<int> sources, destinations;
  // What names the edge at both ends: of block i received, and of block i sent.
  std::vector<int> names_in, names_out;
};

int g_blocks = 0;  // that were as they should be

int complete(int code, MPI_Request* request, Form form) {
  if (form == Form::kPersistent) MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (form == Form::kPersistent) MPI_Request_free(request);
  return code;
}

#define IN_FORM(form, name, iname, ...)                                                                  \
  [&] {                                                                                                  \
    MPI_Request request = MPI_REQUEST_NULL;                                                              \
    switch (form) {                                                                                      \
      case Form::kBlocking: return MPI_##name(__VA_ARGS__);                                              \
      case Form::kNonblocking: return complete(MPI_##iname(__VA_ARGS__, &request), &request, form);      \
      default: return complete(MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request), &request, form); \
    }                                                                                                    \
  }()

// `to` sends element(from, to, name) on the edge with that name.
void check_alltoall(const Edges& e, int rank, MPI_Comm comm, Form form) {
  const size_t ins = e.sources.size(), outs = e.destinations.size();
  std::vector<int> in(2 * ins + 1, kUntouched), out(2 * outs + 1);
  for (size_t i = 0; i < outs; ++i) {
    for (size_t k = 0; k < 2; ++k) {
      out[2 * i + k] = element(rank, e.destinations[i], 10 * e.names_out[i] + static_cast<int>(k));
    }
  }
  const auto expect = [&](size_t i, const int* block) {
    for (int k = 0; k < 2; ++k) {
      const bool nobody = e.sources[i] == MPI_PROC_NULL;
      EXPECT(block[k] == (nobody ? kUntouched : element(e.sources[i], rank, 10 * e.names_in[i] + k)));
    }
    ++g_blocks;
  };
  EXPECT(IN_FORM(form, Neighbor_alltoall, Ineighbor_alltoall, out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, comm) ==
         MPI_SUCCESS);
  for (size_t i = 0; i < ins; ++i) expect(i, &in[2 * i]);

  // In the opposite order in memory.
  std::vector<int> counts_in(ins + 1, 2), counts_out(outs + 1, 2), displs_in(ins + 1), displs_out(outs + 1);
  for (size_t i = 0; i < ins; ++i) displs_in[i] = static_cast<int>(2 * (ins - 1 - i));
  for (size_t i = 0; i < outs; ++i) displs_out[i] = static_cast<int>(2 * i);
  std::fill(in.begin(), in.end(), kUntouched);
  IN_FORM(form, Neighbor_alltoallv, Ineighbor_alltoallv, out.data(), counts_out.data(), displs_out.data(), MPI_INT,
          in.data(), counts_in.data(), displs_in.data(), MPI_INT, comm);
  for (size_t i = 0; i < ins; ++i) expect(i, &in[2 * (ins - 1 - i)]);

  std::vector<MPI_Aint> bytes_in(ins + 1), bytes_out(outs + 1);
  for (size_t i = 0; i < ins; ++i) bytes_in[i] = displs_in[i] * static_cast<MPI_Aint>(sizeof(int));
  for (size_t i = 0; i < outs; ++i) bytes_out[i] = displs_out[i] * static_cast<MPI_Aint>(sizeof(int));
  const std::vector<MPI_Datatype> types(std::max(ins, outs) + 1, MPI_INT);
  std::fill(in.begin(), in.end(), kUntouched);
  IN_FORM(form, Neighbor_alltoallw, Ineighbor_alltoallw, out.data(), counts_out.data(), bytes_out.data(), types.data(),
          in.data(), counts_in.data(), bytes_in.data(), types.data(), comm);
  for (size_t i = 0; i < ins; ++i) expect(i, &in[2 * (ins - 1 - i)]);
}

void check_allgather(const Edges& e, int rank, MPI_Comm comm, Form form) {
  const size_t ins = e.sources.size();
  const int mine[3] = {element(rank, 0, 0), element(rank, 0, 1), element(rank, 0, 2)};
  std::vector<int> in(3 * ins + 1, kUntouched), counts(ins + 1, 3), displs(ins + 1);
  const auto expect = [&](size_t i, const int* block) {
    for (int k = 0; k < 3; ++k) {
      EXPECT(block[k] == (e.sources[i] == MPI_PROC_NULL ? kUntouched : element(e.sources[i], 0, k)));
    }
    ++g_blocks;
  };
  IN_FORM(form, Neighbor_allgather, Ineighbor_allgather, mine, 3, MPI_INT, in.data(), 3, MPI_INT, comm);
  for (size_t i = 0; i < ins; ++i) expect(i, &in[3 * i]);
  for (size_t i = 0; i < ins; ++i) displs[i] = static_cast<int>(3 * (ins - 1 - i));
  std::fill(in.begin(), in.end(), kUntouched);
  IN_FORM(form, Neighbor_allgatherv, Ineighbor_allgatherv, mine, 3, MPI_INT, in.data(), counts.data(), displs.data(),
          MPI_INT, comm);
  for (size_t i = 0; i < ins; ++i) expect(i, &in[3 * (ins - 1 - i)]);
}

void check(const Edges& e, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (const Form form : {Form::kBlocking, Form::kNonblocking, Form::kPersistent}) {
    check_alltoall(e, rank, comm, form);
    check_allgather(e, rank, comm, form);
  }
}

// What goes down in a dimension is received from above: the names are those of the direction of travel.
void grid(const std::vector<int>& dims, bool periodic) {
  const std::vector<int> periods(dims.size(), periodic);
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 0, &comm);
  if (comm == MPI_COMM_NULL) return;
  Edges e;
  for (int dim = 0; dim < static_cast<int>(dims.size()); ++dim) {
    int below = 0, above = 0;
    MPI_Cart_shift(comm, dim, 1, &below, &above);
    for (const int rank : {below, above}) {
      e.sources.push_back(rank);
      e.destinations.push_back(rank);
    }
    e.names_out.insert(e.names_out.end(), {2 * dim, 2 * dim + 1});
    e.names_in.insert(e.names_in.end(), {2 * dim + 1, 2 * dim});
  }
  check(e, comm);
  MPI_Comm_free(&comm);
}

// Rank r sends to r + 1, twice, and to r + 2.
void graph() {
  const auto at = [](int distance) { return (g_rank + distance + 2 * g_size) % g_size; };
  const Edges e{{at(-1), at(-1), at(-2)}, {at(1), at(1), at(2)}, {0, 1, 2}, {0, 1, 2}};
  if (g_size <= 2) return;  // the edges would not be in one order at both ends
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, e.sources.data(), MPI_UNWEIGHTED, 3, e.destinations.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  check(e, comm);
  MPI_Comm_free(&comm);
}

// Rank 0 sends to all others, which send to nobody.
void one_way() {
  std::vector<int> zero(1), others;
  for (int rank = 1; rank < g_size; ++rank) others.push_back(rank);
  const bool sends = g_rank == 0;
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sends ? 0 : 1, zero.data(), MPI_UNWEIGHTED, sends ? g_size - 1 : 0,
                                 others.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<int> out(static_cast<size_t>(g_size), 5), in(static_cast<size_t>(g_size));
  const void* const from = sends ? out.data() : nullptr;
  void* const to = sends ? nullptr : in.data();
  for (const Form form : {Form::kBlocking, Form::kNonblocking, Form::kPersistent}) {
    EXPECT(IN_FORM(form, Neighbor_allgather, Ineighbor_allgather, from, 1, MPI_INT, to, 1, MPI_INT, comm) ==
           MPI_SUCCESS);
    EXPECT(IN_FORM(form, Neighbor_alltoall, Ineighbor_alltoall, from, 1, MPI_INT, to, 1, MPI_INT, comm) == MPI_SUCCESS);
    EXPECT(sends || in[0] == 5);
  }
  if (g_size > 1) {
    const int code = MPI_Neighbor_alltoall(nullptr, 1, MPI_INT, nullptr, 1, MPI_INT, comm);
    EXPECT(error_class(code) == MPI_ERR_BUFFER);
  }
  for (int i = 0; i < 2; ++i) {
    const void* const in_place = MPI_IN_PLACE;
    const int code = MPI_Neighbor_allgather(i == 0 ? in_place : out.data(), 1, MPI_INT,
                                            i == 1 ? MPI_IN_PLACE : in.data(), 1, MPI_INT, comm);
    EXPECT(error_class(code) == MPI_ERR_BUFFER);
  }
  MPI_Comm_free(&comm);
}

void errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int in = 0, out = 0;
  EXPECT(error_class(MPI_Neighbor_allgather(&in, 1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_WORLD)) == MPI_ERR_TOPOLOGY);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  for (const bool periodic : {false, true}) {
    grid({g_size}, periodic);
    grid({1, 1}, periodic);
    grid({1, g_size}, periodic);
    if (g_size >= 2) grid({2, 1, 1}, periodic);
    if (g_size >= 4) grid({2, 2}, periodic);
    if (g_size >= 8) grid({2, 2, 2}, periodic);
    if (g_size >= 9) grid({3, 3}, periodic);
  }
  graph();
  one_way();
  errors();
  std::printf("rank %d: %d blocks\n", g_rank, g_blocks);
  return 0;
}
