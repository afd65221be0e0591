// MPI_Allgather and MPI_Allgatherv, in place too, with gaps, with different types on both sides.
#include "colls.hpp"

using namespace mpi_test;

namespace {

size_t at(int64_t i) { return static_cast<size_t>(i); }

void equal(const Group& g, int count, bool in_place) {
  const auto mine = elements(g.rank, 0, count);
  std::vector<int> all(at(int64_t{count} * g.size + 1), kUntouched);
  if (in_place) std::copy(mine.begin(), mine.end(), all.begin() + int64_t{count} * g.rank);
  MPI_Allgather(in_place ? MPI_IN_PLACE : mine.data(), count, MPI_INT, all.data(), count, MPI_INT, g.comm);
  for (int from = 0; from < g.size; ++from) expect_elements(&all[at(int64_t{count} * from)], count, from, 0);
  expect_untouched(&all.back(), 1);
}

void uneven(const Group& g, int base, int limit, bool in_place) {
  std::vector<int> counts(at(g.size)), starts(at(g.size));
  int total = 0;
  for (int i = g.size - 1; i >= 0; --i) {
    counts[at(i)] = (i * 5 + base) % limit;
    starts[at(i)] = total;
    total += counts[at(i)] + 1;
  }
  const int count = counts[at(g.rank)];
  const auto mine = elements(g.rank, 0, count);
  std::vector<int> all(at(total), kUntouched);
  if (in_place) std::copy(mine.begin(), mine.end(), all.begin() + starts[at(g.rank)]);
  MPI_Allgatherv(in_place ? MPI_IN_PLACE : mine.data(), count, MPI_INT, all.data(), counts.data(), starts.data(),
                 MPI_INT, g.comm);
  for (int from = 0; from < g.size; ++from) {
    expect_elements(&all[at(starts[at(from)])], counts[at(from)], from, 0);
    expect_untouched(&all[at(starts[at(from)] + counts[at(from)])], 1);
  }
}

// Sent with gaps, received without; and the other way round.
void with_gaps(const Group& g, int count) {
  MPI_Datatype column;
  MPI_Type_vector(count, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  const auto flat = elements(g.rank, 0, count);
  std::vector<int> wide(at(2 * count), kUntouched), all(at(int64_t{count} * g.size));
  for (int i = 0; i < count; ++i) wide[at(2 * i)] = flat[at(i)];
  MPI_Allgather(wide.data(), 1, column, all.data(), count, MPI_INT, g.comm);
  for (int from = 0; from < g.size; ++from) expect_elements(&all[at(int64_t{count} * from)], count, from, 0);
  // The extent of a vector ends with its last element: the next member's part begins right behind it.
  const int step = 2 * count - 1;
  std::vector<int> spread(at(int64_t{step} * g.size), kUntouched);
  MPI_Allgather(flat.data(), count, MPI_INT, spread.data(), 1, column, g.comm);
  for (int from = 0; from < g.size; ++from) {
    for (int i = 0; i < count; ++i) {
      EXPECT(spread[at(int64_t{step} * from + 2 * i)] == element(from, 0, i));
      if (i + 1 < count) expect_untouched(&spread[at(int64_t{step} * from + 2 * i + 1)], 1);
    }
  }
  MPI_Type_free(&column);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  on_communicators([](const Group& g) {
    for (const int count : counts_for(g)) {
      equal(g, count, false);
      equal(g, count, true);
      if (count > 0) with_gaps(g, count);
    }
    for (const int limit : {1, 3, 40, g.size > 16 ? 1000 : 20000}) {
      uneven(g, limit / 2, limit, false);
      uneven(g, limit / 3, limit, true);
    }
  });
  if (g_rank == 0) std::puts("everybody has all");
}
