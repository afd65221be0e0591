// Gather and scatter, with equal and with different counts, every root, in place.
#include "colls.hpp"

using namespace mpi_test;

namespace {

size_t at(int64_t i) { return static_cast<size_t>(i); }

void gather(const Group& g, int count, int root, bool in_place) {
  const bool is_root = g.rank == root;
  auto mine = elements(g.rank, root, count);
  std::vector<int> all(is_root ? at(int64_t{count} * g.size + 1) : 0, kUntouched);
  if (is_root && in_place) std::copy(mine.begin(), mine.end(), all.begin() + int64_t{count} * g.rank);
  MPI_Gather(is_root && in_place ? MPI_IN_PLACE : mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root,
             g.comm);
  if (!is_root) return;
  for (int from = 0; from < g.size; ++from) expect_elements(&all[at(int64_t{count} * from)], count, from, root);
  expect_untouched(&all.back(), 1);
}

void scatter(const Group& g, int count, int root, bool in_place) {
  const bool is_root = g.rank == root;
  std::vector<int> all;
  for (int to = 0; is_root && to < g.size; ++to) {
    const auto part = elements(root, to, count);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::vector<int> mine(at(count) + 1, kUntouched);
  MPI_Scatter(all.data(), count, MPI_INT, is_root && in_place ? MPI_IN_PLACE : mine.data(), count, MPI_INT, root,
              g.comm);
  if (is_root && in_place) expect_untouched(mine.data(), count);
  else expect_elements(mine.data(), count, root, g.rank);
  expect_untouched(&mine.back(), 1);
}

// Member i has (i * 7 + base) % limit elements; they lie in opposite order with gaps between.
struct Uneven {
  std::vector<int> counts, starts;
  int total = 0;
  Uneven(const Group& g, int base, int limit) : counts(at(g.size)), starts(at(g.size)) {
    for (int i = g.size - 1; i >= 0; --i) {
      counts[at(i)] = (i * 7 + base) % limit;
      starts[at(i)] = total;
      total += counts[at(i)] + 2;
    }
  }
};

void gatherv(const Group& g, int base, int limit, int root, bool in_place) {
  const Uneven u(g, base, limit);
  const bool is_root = g.rank == root;
  const int count = u.counts[at(g.rank)];
  auto mine = elements(g.rank, root, count);
  std::vector<int> all(is_root ? at(u.total) : 0, kUntouched);
  if (is_root && in_place) std::copy(mine.begin(), mine.end(), all.begin() + u.starts[at(g.rank)]);
  MPI_Gatherv(is_root && in_place ? MPI_IN_PLACE : mine.data(), count, MPI_INT, all.data(), u.counts.data(),
              u.starts.data(), MPI_INT, root, g.comm);
  if (!is_root) return;
  for (int from = 0; from < g.size; ++from) {
    expect_elements(&all[at(u.starts[at(from)])], u.counts[at(from)], from, root);
    expect_untouched(&all[at(u.starts[at(from)] + u.counts[at(from)])], 2);
  }
}

void scatterv(const Group& g, int base, int limit, int root, bool in_place) {
  const Uneven u(g, base, limit);
  const bool is_root = g.rank == root;
  const int count = u.counts[at(g.rank)];
  std::vector<int> all(is_root ? at(u.total) : 0, kUntouched);
  for (int to = 0; is_root && to < g.size; ++to) {
    const auto part = elements(root, to, u.counts[at(to)]);
    std::copy(part.begin(), part.end(), all.begin() + u.starts[at(to)]);
  }
  std::vector<int> mine(at(count) + 1, kUntouched);
  MPI_Scatterv(all.data(), u.counts.data(), u.starts.data(), MPI_INT, is_root && in_place ? MPI_IN_PLACE : mine.data(),
               count, MPI_INT, root, g.comm);
  if (!(is_root && in_place)) expect_elements(mine.data(), count, root, g.rank);
  expect_untouched(&mine.back(), 1);
}

// Columns of a matrix, gathered as rows.
void gather_columns(const Group& g, int rows, int root) {
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> matrix(at(rows) * 4, kUntouched), all(at(int64_t{rows} * g.size), kUntouched);
  for (int i = 0; i < rows; ++i) matrix[at(i) * 4] = element(g.rank, root, i);
  MPI_Gather(matrix.data(), 1, column, all.data(), rows, MPI_INT, root, g.comm);
  for (int from = 0; g.rank == root && from < g.size; ++from) {
    expect_elements(&all[at(int64_t{rows} * from)], rows, from, root);
  }
  MPI_Type_free(&column);
}

// Columns of a matrix at the root, which are rows elsewhere.
void columns_at_root(const Group& g, int rows, int root) {
  MPI_Datatype strided, column;
  MPI_Type_vector(rows, 1, g.size, MPI_INT, &strided);
  MPI_Type_create_resized(strided, 0, sizeof(int), &column);
  MPI_Type_commit(&column);
  const bool is_root = g.rank == root;
  std::vector<int> matrix(is_root ? at(int64_t{rows} * g.size) + 1 : 0, kUntouched), row(at(rows) + 1, kUntouched);
  const auto mine = elements(g.rank, root, rows);
  MPI_Gather(mine.data(), rows, MPI_INT, matrix.data(), 1, column, root, g.comm);
  for (int i = 0; is_root && i < rows * g.size; ++i) EXPECT(matrix[at(i)] == element(i % g.size, root, i / g.size));
  if (is_root) expect_untouched(&matrix.back(), 1);
  MPI_Scatter(matrix.data(), 1, column, row.data(), rows, MPI_INT, root, g.comm);
  expect_elements(row.data(), rows, g.rank, root);
  expect_untouched(&row.back(), 1);
  MPI_Type_free(&strided);
  MPI_Type_free(&column);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  on_communicators([](const Group& g) {
    for (const int root : roots_for(g)) {
      for (const int count : counts_for(g)) {
        for (const bool in_place : {false, true}) {
          gather(g, count, root, in_place);
          scatter(g, count, root, in_place);
        }
      }
      for (const int limit : {1, 3, 50, 20000}) {
        for (const bool in_place : {false, true}) {
          gatherv(g, limit / 2, limit, root, in_place);
          scatterv(g, limit / 3, limit, root, in_place);
        }
      }
      // Where blocks become pieces, and two pieces, and none.
      for (const int count : {1023, 1024, 2049, 8191, 16384, 16385}) {
        if (g.size <= 16) gather(g, count, root, count % 2 == 0);
      }
      gather_columns(g, 1, root);
      gather_columns(g, 9000, root);
      columns_at_root(g, 3, root);
      columns_at_root(g, 9000, root);
    }
  });
  if (g_rank == 0) std::puts("gathered and scattered");
}
