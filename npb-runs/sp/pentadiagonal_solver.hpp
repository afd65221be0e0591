// SP's solver of the lines of a cell. It takes the lines in blocks that fit the cache: along y and z the lines of a
// plane, worked on where they are, with x across the lanes; along x the lines of a few rows, copied to a tile in which
// the rows are the lanes.
#pragma once

#include <vector>

#include "../multipartition/line_solver.hpp"
#include "pentadiagonal.hpp"

namespace npb::sp {

class PentadiagonalSolver final : public multipartition::LineSolver {
 public:
  using Axis = multipartition::Axis;
  using CellData = multipartition::CellData;

  // For the cells of a rank.
  PentadiagonalSolver(const multipartition::Partition& partition, const std::vector<CellData>& cells, double dt);

  multipartition::LineMessage upward_message(const CellData& cell, Axis axis) const override;
  multipartition::LineMessage downward_message(const CellData& cell, Axis axis) const override;
  void eliminate(CellData& cell, Axis axis, const double* in, double* out) override;
  void turn_round(CellData& cell, Axis axis, const double* in, double* out) override;
  void substitute(CellData& cell, Axis axis, const double* in, double* out) override;

 private:
  // The lines of one block and where they are.
  struct Block {
    Lines lines;
    Range rows;     // interior positions
    Range carried;  // lanes that are interior lines: those that messages hold
    int j, k;       // where position 0 of the first line is
  };

  int blocks(const CellData& cell, Axis axis) const;
  Block block(CellData& cell, Axis axis, int index);
  void place_in_tile(Block& block, const CellData& cell, int index);
  void place_in_plane(Block& block, CellData& cell, Axis axis, int index) const;

  // Before and after the work on a block. Along x `open` fills the tile and `close` copies the solutions back.
  Block open(CellData& cell, Axis axis, int index, bool eliminates);
  void close(CellData& cell, Axis axis, const Block& block);

  const double* begin_elimination(const Block& block, const double* in) const;
  double* end_elimination(const Block& block, int end, double* out) const;
  const double* begin_substitution(const Block& block, int end, const double* in) const;
  double* end_substitution(const Block& block, double* out) const;

  // Turns the solutions along one axis into right-hand sides along the next, or into the next solution of the flow.
  void finish(CellData& cell, Axis axis, const Block& block) const;

  std::array<Coefficients, 3> coefficients_;
  multipartition::Buffer tile_r_, tile_primitives_;
  // For every slab, what elimination leaves for substitution. In the last slab, where the one follows the other block
  // by block, there is room for one block only.
  std::vector<multipartition::Buffer> factors_;
};

}  // namespace npb::sp
