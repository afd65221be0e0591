// BT's messages and its first time step. No MPI.

#include <catch2/catch.hpp>

#include "../bt/block_solver.hpp"
#include "../bt/problem.hpp"
#include "../common/problem.hpp"
#include "virtual_ranks.hpp"

using namespace npb;
using namespace npb::multipartition;

TEST_CASE("BT: lengths of the messages of class S on 4 ranks", "[npb]") {
  const Partition partition = *Partition::try_create(12, 4, 0);
  const auto cells = make_cells(partition);
  const bt::BlockSolver solver(partition, cells, 0.010);
  for (const CellData& cell : cells)
    for (const Axis axis : kAxes) {
      CHECK(solver.upward_message(cell, axis).count == 1470);
      CHECK(solver.downward_message(cell, axis).count == 245);
    }
  // The tag carries the cell's place across the lines.
  CHECK(cells[1].place.at == std::array<int, 3>{1, 1, 1});
  CHECK(solver.upward_message(cells[1], kX).tag == 3003);
  CHECK(solver.downward_message(cells[1], kX).tag == 2003);
  CHECK(solver.upward_message(cells[0], kY).tag == 5000);
  CHECK(solver.downward_message(cells[0], kZ).tag == 7000);
}

TEST_CASE("BT: the norms after the first step, on any number of ranks", "[npb]") {
  const Problem& problem = *find_problem(bt::kProblems, 'S');
  const cfd::State residual{3.3535293688400e+04, 3.3560713246605e+03, 8.4375947504742e+03, 7.1127400861544e+03,
                            4.7563208848733e+04};
  const cfd::State error{3.1637300455966e+02, 2.5339480744517e+01, 7.9863770341058e+01, 7.0151399654241e+01,
                         6.1865927818179e+02};
  for (const int ranks : {1, 4, 9, 16}) {
    test::VirtualRanks<bt::BlockSolver> flow(problem.n, ranks, problem.dt, Primitives::kWithoutSound);
    flow.advance();
    const cfd::State residual_norm = flow.residual_norm(), error_norm = flow.error_norm();
    for (int m = 0; m < cfd::kComponents; ++m) {
      CHECK(residual_norm[m] == Approx(residual[m]).epsilon(1e-11));
      CHECK(error_norm[m] == Approx(error[m]).epsilon(1e-11));
    }
  }
}

TEST_CASE("BT: cells of unequal size", "[npb]") {
  // 17 points on a root of 4 make cells of 5 and 4; the same flow in one cell is the reference.
  test::VirtualRanks<bt::BlockSolver> whole(17, 1, 0.01, Primitives::kWithoutSound);
  test::VirtualRanks<bt::BlockSolver> parts(17, 16, 0.01, Primitives::kWithoutSound);
  for (int step = 0; step < 3; ++step) {
    whole.advance();
    parts.advance();
  }
  const cfd::State expected = whole.residual_norm(), norm = parts.residual_norm();
  for (int m = 0; m < cfd::kComponents; ++m) CHECK(norm[m] == Approx(expected[m]).epsilon(1e-11));
}
