// MPI_Bcast from every root, of ints and of a type with gaps, which the others receive as another type.
#include "colls.hpp"

using namespace mpi_test;

namespace {

void plain(const Group& g, int count, int root) {
  std::vector<int> data(static_cast<size_t>(count) + 1, kUntouched);
  if (g.rank == root) {
    data = elements(root, 0, count);
    data.push_back(kUntouched);
  }
  MPI_Bcast(data.data(), count, MPI_INT, root, g.comm);
  expect_elements(data.data(), count, root, 0);
  expect_untouched(&data[static_cast<size_t>(count)], 1);
}

void with_gaps(const Group& g, int count, int root) {
  MPI_Datatype column;
  MPI_Type_vector(count, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> data(static_cast<size_t>(3 * count) + 1, kUntouched);
  if (g.rank == root) {
    for (int i = 0; i < count; ++i) data[static_cast<size_t>(3 * i)] = element(root, 1, i);
  }
  const bool flat = g.rank != root && g.rank % 2 == 1;
  if (flat) MPI_Bcast(data.data(), count, MPI_INT, root, g.comm);
  else MPI_Bcast(data.data(), 1, column, root, g.comm);
  for (int i = 0; i < count; ++i) {
    EXPECT(data[static_cast<size_t>(flat ? i : 3 * i)] == element(root, 1, i));
    if (!flat) expect_untouched(&data[static_cast<size_t>(3 * i) + 1], 2);
  }
  MPI_Type_free(&column);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  on_communicators([](const Group& g) {
    for (const int count : counts_for(g)) {
      for (const int root : roots_for(g)) {
        plain(g, count, root);
        with_gaps(g, count, root);
      }
    }
    // Many in a row: the root runs ahead as far as it may.
    for (int i = 0; i < 200; ++i) plain(g, 3, i % g.size);
  });
  // So long that all read it from the root's memory: 20 MB, in two parts, if they are few.
  if (g_size > 1) plain(Group(MPI_COMM_WORLD), g_size > 4 ? 1 << 20 : 5'000'000, g_size - 1);
  if (g_size > 1 && g_size <= 4) with_gaps(Group(MPI_COMM_WORLD), 600'000, 0);
  if (g_rank == 0) std::puts("broadcast");
}
