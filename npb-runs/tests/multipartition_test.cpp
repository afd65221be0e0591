// The decomposition of SP and BT, and their spatial operator. No MPI.

#include <catch2/catch.hpp>

#include <cmath>
#include <set>
#include <vector>

#include "../cfd/dissipation.hpp"
#include "../multipartition/cell_fields.hpp"
#include "../multipartition/partition.hpp"
#include "../multipartition/tile.hpp"

using namespace npb;
using namespace npb::multipartition;

namespace {

std::vector<Partition> all_ranks(int n, int ranks) {
  std::vector<Partition> result;
  for (int rank = 0; rank < ranks; ++rank) result.push_back(*Partition::try_create(n, ranks, rank));
  return result;
}

}  // namespace

TEST_CASE("multi-partition: only squares, and cells of three points at least", "[npb]") {
  for (const int ranks : {1, 4, 9, 16}) CHECK(Partition::try_create(12, ranks, 0));
  for (const int ranks : {2, 3, 5, 8, 15}) CHECK_FALSE(Partition::try_create(12, ranks, 0));
  CHECK_FALSE(Partition::try_create(12, 25, 0));
  CHECK(Partition::try_create(15, 25, 0));
}

TEST_CASE("multi-partition: every cell has one owner, every rank one cell in every slab", "[npb]") {
  for (const int ranks : {1, 4, 9, 16, 25}) {
    std::set<std::array<int, 3>> owned;
    for (const Partition& partition : all_ranks(36, ranks)) {
      for (int c = 0; c < partition.cells(); ++c) {
        const Cell cell = partition.cell(c);
        CHECK(owned.insert(cell.at).second);
        CHECK(cell.at[kZ] == c);
        for (const Axis axis : kAxes) CHECK(partition.cell_in_slab(axis, cell.at[axis]) == c);
      }
    }
    CHECK(owned.size() == all_ranks(36, ranks)[0].cells() * static_cast<std::size_t>(ranks));
  }
}

TEST_CASE("multi-partition: the next cell belongs to the successor", "[npb]") {
  for (const int ranks : {4, 9, 16, 25}) {
    const auto all = all_ranks(36, ranks);
    for (int rank = 0; rank < ranks; ++rank)
      for (const Axis axis : kAxes) {
        const Partition& next = all[all[rank].successor(axis)];
        CHECK(next.predecessor(axis) == rank);
        for (int slab = 0; slab + 1 < next.cells(); ++slab) {
          auto at = all[rank].cell(all[rank].cell_in_slab(axis, slab)).at;
          ++at[axis];
          CHECK(next.cell(next.cell_in_slab(axis, slab + 1)).at == at);
        }
      }
  }
}

TEST_CASE("multi-partition: cells of unequal size, the larger first", "[npb]") {
  const Partition partition = *Partition::try_create(64, 9, 0);
  CHECK(partition.cell(0).points[kZ].size() == 22);
  CHECK(partition.cell(1).points[kZ].begin == 22);
  CHECK(partition.cell(2).points[kZ].size() == 21);
  CHECK(partition.cell(2).points[kZ].end == 64);
}

TEST_CASE("the fourth difference takes no value on a face of the grid, nor beyond", "[npb]") {
  constexpr int kN = 12;
  for (int p = 1; p < kN - 1; ++p) {
    const auto weights = npb::cfd::fourth_difference(p, kN);
    for (int q = 0; q < 5; ++q) {
      const int point = p + q - 2;
      if (point <= 0 || point >= kN - 1) CHECK(weights[q] == 0);
    }
    CHECK(weights[2] == (p == 1 || p == kN - 2 ? 5 : 6));
  }
}

TEST_CASE("a tile gives back what it took", "[npb]") {
  std::vector<double> rows(3 * 40), tile(10 * 2 * 4), back(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(i);
  gather({rows.data(), 40, 20}, 3, 2, {0, 10}, {tile.data(), 8, 4});
  CHECK(tile[5 * 8 + 4 + 2] == 2 * 40 + 20 + 5);  // position 5, value 1, lane 2
  scatter({tile.data(), 8, 4}, 3, 2, {0, 10}, {back.data(), 40, 20});
  for (int row = 0; row < 3; ++row)
    for (int m = 0; m < 2; ++m)
      for (int i = 0; i < 10; ++i) CHECK(back[row * 40 + m * 20 + i] == rows[row * 40 + m * 20 + i]);
}

TEST_CASE("the residual of the initial values", "[npb]") {
  struct Row {
    int n;
    cfd::State expected;
  };
  for (const Row& row :
       {Row{12,
            {6.7877440849324e+04, 6.8656671466445e+03, 1.7373916450581e+04, 1.4653216460274e+04, 9.7682415991639e+04}},
        Row{33,
            {3.1307357843253e+05, 3.3374615418378e+04, 8.1602598756327e+04, 6.9177079206019e+04,
             4.3168719669620e+05}}}) {
    CellData cell = std::move(make_cells(*Partition::try_create(row.n, 1, 0))[0]);
    set_forcing(cell, row.n, Primitives::kWithoutSound);
    set_initial_values(cell, row.n);
    compute_residual(cell, row.n, 0.5, Primitives::kWithoutSound);
    const cfd::State squares = squared_increment(cell);
    for (int m = 0; m < cfd::kComponents; ++m)
      CHECK(std::sqrt(squares[m] / std::pow(row.n - 2.0, 3)) / 0.5 == Approx(row.expected[m]).epsilon(1e-11));
  }
}

TEST_CASE("the exact solution is steady", "[npb]") {
  CellData cell = std::move(make_cells(*Partition::try_create(12, 1, 0))[0]);
  set_forcing(cell, 12, Primitives::kWithoutSound);  // leaves the exact solution behind
  compute_residual(cell, 12, 1.0, Primitives::kWithoutSound);
  for (const double square : squared_increment(cell)) CHECK(square < 1e-20);
  for (const double square : squared_error(cell, 12)) CHECK(square == 0);
}
