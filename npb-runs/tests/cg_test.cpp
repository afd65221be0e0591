// Check values of CG's matrix, and properties of its decomposition. No MPI.

#include <catch2/catch.hpp>

#include <cmath>
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

namespace {

// A p by the definition of A, without A: sum_i w_i v_i (v_i . p) + (rcond - shift) p.
std::vector<double> product(const cg::Problem& problem, const cg::GeneratingVectors& vectors,
                            const std::vector<double>& p) {
  std::vector<double> result(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) result[i] = (cg::Problem::kRcond - problem.shift) * p[i];
  double weight = 1.0;
  for (std::size_t i = 0; i + 1 < vectors.start.size(); ++i) {
    double along = 0;
    for (std::size_t k = vectors.start[i]; k < vectors.start[i + 1]; ++k)
      along += vectors.entries[k].value * p[vectors.entries[k].position];
    for (std::size_t k = vectors.start[i]; k < vectors.start[i + 1]; ++k)
      result[vectors.entries[k].position] += weight * along * vectors.entries[k].value;
    weight *= std::pow(cg::Problem::kRcond, 1.0 / problem.order);
  }
  return result;
}

}  // namespace

TEST_CASE("CG: products of the blocks add up to that of the matrix", "[npb]") {
  const cg::Problem& problem = *find_problem(cg::kProblems, 'S');
  const auto vectors = cg::make_generating_vectors(problem);
  std::vector<double> p(static_cast<std::size_t>(problem.order));
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = 1.0 + 0.001 * static_cast<double>(i);
  const std::vector<double> expected = product(problem, vectors, p);
  for (const int ranks : {1, 8, 32}) {
    std::vector<double> sum(p.size());
    for (int rank = 0; rank < ranks; ++rank) {
      const auto grid = *cg::ProcessGrid::try_create(problem.order, ranks, rank);
      const auto block = cg::SparseBlock::assemble(problem, vectors, grid.row_part(), grid.column_part());
      std::vector<double> part(static_cast<std::size_t>(grid.row_part().size()), -1.0);  // all of it is written
      block.multiply(p.data() + grid.column_part().begin, part.data());
      for (std::size_t i = 0; i < part.size(); ++i) sum[grid.row_part().begin + i] += part[i];
    }
    bool equal = true;
    for (std::size_t i = 0; i < p.size(); ++i) equal = equal && sum[i] == Approx(expected[i]).epsilon(1e-12);
    CHECK(equal);
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
