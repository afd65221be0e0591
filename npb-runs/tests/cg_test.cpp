// Check values of CG's matrix, and properties of its decomposition. No MPI.

#include <catch2/catch.hpp>

#include <vector>

#include "../cg/matrix.hpp"
#include "../cg/process_grid.hpp"
#include "../common/problem.hpp"

using namespace npb;

TEST_CASE("CG: the first generating vector of class S", "[npb]") {
  const auto vectors = cg::make_generating_vectors(*find_problem(cg::kProblems, 'S'));
  const std::vector<int> expected{1326, 36, 1032, 42, 886, 657, 494, 0};
  std::vector<int> positions;
  for (std::size_t k = vectors.start[0]; k < vectors.start[1]; ++k) positions.push_back(vectors.entries[k].position);
  CHECK(positions == expected);
  CHECK(vectors.entries[0].value == Approx(0.86906527387454).epsilon(1e-14));
  CHECK(vectors.entries[7].value == 0.5);
}

TEST_CASE("CG: the size of the matrix", "[npb]") {
  struct Row {
    char problem_class;
    std::size_t contributions;
    std::size_t nonzeros;
  };
  for (const Row& row : {Row{'S', 90910, 78148}, Row{'W', 573830, 508402}}) {
    const cg::Problem& problem = *find_problem(cg::kProblems, row.problem_class);
    const Range all{0, problem.order};
    const auto block = cg::SparseBlock::assemble(problem, cg::make_generating_vectors(problem), all, all);
    CHECK(block.contributions() == row.contributions);
    CHECK(block.nonzeros() == row.nonzeros);
  }
}

TEST_CASE("CG: the blocks of a grid make up the matrix", "[npb]") {
  const cg::Problem& problem = *find_problem(cg::kProblems, 'S');
  const auto vectors = cg::make_generating_vectors(problem);
  for (const int ranks : {2, 4, 8}) {
    std::size_t nonzeros = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto grid = cg::ProcessGrid::try_create(problem.order, ranks, rank);
      REQUIRE(grid);
      const auto block = cg::SparseBlock::assemble(problem, vectors, grid->row_part(), grid->column_part());
      nonzeros += block.nonzeros();
    }
    CHECK(nonzeros == 78148u);
  }
}

TEST_CASE("CG: partners agree with each other on what they exchange", "[npb]") {
  // 1400 does not divide by most of these, so parts of different length are among them.
  for (const int ranks : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}) {
    std::vector<cg::ProcessGrid> grids;
    for (int rank = 0; rank < ranks; ++rank) grids.push_back(*cg::ProcessGrid::try_create(1400, ranks, rank));
    for (int rank = 0; rank < ranks; ++rank) {
      const cg::ProcessGrid& mine = grids[rank];
      const cg::ProcessGrid& other = grids[mine.transpose_partner()];
      CHECK(other.transpose_partner() == rank);
      CHECK(other.column_part().begin == mine.summed_part().begin);
      CHECK(other.column_part().end == mine.summed_part().end);
      for (int step = 1; step <= mine.butterfly_steps(); ++step) {
        CHECK(grids[mine.partner(step)].partner(step) == rank);
        CHECK(grids[mine.partner(step)].row() == mine.row());
      }
      const int last = mine.butterfly_steps();
      if (last > 0) CHECK(mine.partner(last) == (rank ^ 1));
      // The last partner keeps the half that this rank gives away.
      if (!mine.is_square()) {
        const int kept = mine.summed_part().size() + grids[mine.partner(last)].summed_part().size();
        CHECK(kept == mine.row_part().size());
        CHECK(mine.summed_part().begin != grids[mine.partner(last)].summed_part().begin);
      }
    }
  }
}

TEST_CASE("CG: only powers of two make a grid", "[npb]") {
  for (const int ranks : {-1, 0, 3, 6, 12}) CHECK_FALSE(cg::ProcessGrid::try_create(1400, ranks, 0));
}
