// V-cycles on distributed grids. Each rank owns a block of every level.
//
// Between calls r = v - A u holds on the finest level, and the ghosts of u and r are valid there.
#pragma once

#include <vector>

#include "field.hpp"
#include "halo.hpp"
#include "problem.hpp"
#include "process_grid.hpp"

namespace npb::mg {

struct ResidualNorms {
  double mean = 0;     // root of the mean square
  double largest = 0;  // absolute value
};

// All functions but the constructor are collective over MPI_COMM_WORLD.
class Solver {
 public:
  // Call reset() before anything else.
  Solver(const Problem& problem, const ProcessGrid& grid, bool wildcard);

  // Makes the right-hand side; u = 0.
  void reset();

  // r = v - A u.
  void update_residual();

  // One V-cycle. Then r is the residual before the last smoothing: update it.
  void cycle();

  // Of r, over the whole grid. All ranks return the same bits.
  ResidualNorms norms() const;

 private:
  struct Level {
    LevelPart part;
    Field u;  // the solution, on coarse levels the correction
    Field r;  // the residual

    explicit Level(const LevelPart& level_part) : part(level_part), u(part.extent()), r(part.extent()) {}
  };

  void restrict_residual(const Level& fine, Level& coarse);
  void solve_coarsest(Level& level);
  void correct(const Level& coarse, Level& fine);
  void correct_finest(const Level& coarse, Level& finest);
  void smooth_level(Level& level);

  Problem problem_;
  std::vector<Level> levels_;  // from coarsest to finest
  Field v_;
  Halo halo_;
};

}  // namespace npb::mg
