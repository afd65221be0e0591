#include "solver.hpp"

#include <mpi.h>

#include <cmath>

#include "operators.hpp"
#include "right_hand_side.hpp"

namespace npb::mg {

Solver::Solver(const Problem& problem, const ProcessGrid& grid, bool wildcard)
    : problem_(problem), v_(grid.part(problem.points).extent()), halo_(grid, grid.part(problem.points), wildcard) {
  levels_.reserve(static_cast<std::size_t>(problem.levels()));
  for (int points = 2; points <= problem.points; points *= 2) levels_.emplace_back(grid.part(points));
}

void Solver::reset() {
  Level& finest = levels_.back();
  finest.u.clear();
  set_charges(finest.part, v_);
  halo_.exchange(finest.part, v_);  // nothing reads these ghosts: it is a message of the suite
}

void Solver::update_residual() {
  Level& finest = levels_.back();
  residual(finest.u, v_, finest.r);
  halo_.exchange(finest.part, finest.r);
}

void Solver::cycle() {
  const std::size_t finest = levels_.size() - 1;
  for (std::size_t k = finest; k > 0; --k) restrict_residual(levels_[k], levels_[k - 1]);
  solve_coarsest(levels_.front());
  for (std::size_t k = 1; k < finest; ++k) correct(levels_[k - 1], levels_[k]);
  correct_finest(levels_[finest - 1], levels_[finest]);
}

void Solver::restrict_residual(const Level& fine, Level& coarse) {
  if (!coarse.part.is_active()) return;
  restrict_to(coarse.r, fine.r);
  halo_.exchange(coarse.part, coarse.r);
}

void Solver::solve_coarsest(Level& level) {
  if (!level.part.is_active()) return;
  level.u.clear();
  smooth_level(level);
}

// Starts from u = 0. No exchange after the interpolation: it is done on ghosts too.
void Solver::correct(const Level& coarse, Level& fine) {
  if (!fine.part.is_active()) return;
  if (coarse.part.is_active()) interpolate(coarse.u, fine.u);
  else fine.u.clear();
  halo_.expand(coarse.part, fine.part, fine.u);
  subtract_laplacian(fine.u, fine.r);
  halo_.exchange(fine.part, fine.r);
  smooth_level(fine);
}

// Every rank is active on the two finest levels: see ProcessGrid::try_create.
void Solver::correct_finest(const Level& coarse, Level& finest) {
  correct_and_residual(coarse.u, finest.u, v_, finest.r);
  halo_.exchange(finest.part, finest.r);
  smooth_level(finest);
}

void Solver::smooth_level(Level& level) {
  smooth(problem_.smoother, level.r, level.u);
  halo_.exchange(level.part, level.u);
}

ResidualNorms Solver::norms() const {
  const Norms mine = measure(levels_.back().r);
  Norms all;
  MPI_Allreduce(&mine.largest, &all.largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&mine.sum_of_squares, &all.sum_of_squares, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double points = problem_.points;
  return {std::sqrt(all.sum_of_squares / (points * points * points)), all.largest};
}

}  // namespace npb::mg
