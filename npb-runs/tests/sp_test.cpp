// SP's messages and its first time step. No MPI.

#include <catch2/catch.hpp>

#include "../common/problem.hpp"
#include "../sp/pentadiagonal_solver.hpp"
#include "../sp/problem.hpp"
#include "virtual_ranks.hpp"

using namespace npb;
using namespace npb::multipartition;

TEST_CASE("SP: lengths of the messages of class S on 4 ranks", "[npb]") {
  const Partition partition = *Partition::try_create(12, 4, 0);
  const auto cells = make_cells(partition);
  const sp::PentadiagonalSolver solver(partition, cells, 0.015);
  for (const CellData& cell : cells)
    for (const Axis axis : kAxes) {
      CHECK(solver.upward_message(cell, axis).count == 550);
      CHECK(solver.downward_message(cell, axis).count == 250);
      CHECK(solver.upward_message(cell, axis).tag == 0);
    }
}

TEST_CASE("SP: the norms after the first step, on any number of ranks", "[npb]") {
  const Problem& problem = *find_problem(sp::kProblems, 'S');
  const cfd::State residual{3.1104879395394e+04, 2.7469904155222e+03, 7.5716258562911e+03, 6.3543275136937e+03,
                            4.3865749584545e+04};
  const cfd::State error{2.9783807868691e+02, 2.1924520944381e+01, 7.3278847362706e+01, 6.3378463851743e+01,
                         5.7144179412877e+02};
  for (const int ranks : {1, 4, 9, 16}) {
    test::VirtualRanks<sp::PentadiagonalSolver> flow(problem.n, ranks, problem.dt, Primitives::kWithSound);
    flow.advance();
    const cfd::State residual_norm = flow.residual_norm(), error_norm = flow.error_norm();
    for (int m = 0; m < cfd::kComponents; ++m) {
      CHECK(residual_norm[m] == Approx(residual[m]).epsilon(1e-11));
      CHECK(error_norm[m] == Approx(error[m]).epsilon(1e-11));
    }
  }
}

TEST_CASE("SP: cells of unequal size", "[npb]") {
  // 17 points on a root of 4 make cells of 5 and 4; the same flow in one cell is the reference.
  test::VirtualRanks<sp::PentadiagonalSolver> whole(17, 1, 0.01, Primitives::kWithSound);
  test::VirtualRanks<sp::PentadiagonalSolver> parts(17, 16, 0.01, Primitives::kWithSound);
  for (int step = 0; step < 3; ++step) {
    whole.advance();
    parts.advance();
  }
  const cfd::State expected = whole.residual_norm(), norm = parts.residual_norm();
  for (int m = 0; m < cfd::kComponents; ++m) CHECK(norm[m] == Approx(expected[m]).epsilon(1e-11));
}
