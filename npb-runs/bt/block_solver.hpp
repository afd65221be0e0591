// BT's solver of the lines of a cell. It takes them kLanes at a time: along y and z the lines of kLanes points of a
// row, worked on where they are; along x the lines of kLanes rows, copied to a tile.
#pragma once

#include <vector>

#include "../multipartition/line_solver.hpp"
#include "block_tridiagonal.hpp"

namespace npb::bt {

class BlockSolver final : public multipartition::LineSolver {
 public:
  using Axis = multipartition::Axis;
  using CellData = multipartition::CellData;

  // For the cells of a rank.
  BlockSolver(const multipartition::Partition& partition, const std::vector<CellData>& cells, double dt);

  multipartition::LineMessage upward_message(const CellData& cell, Axis axis) const override;
  multipartition::LineMessage downward_message(const CellData& cell, Axis axis) const override;
  void eliminate(CellData& cell, Axis axis, const double* in, double* out) override;
  void turn_round(CellData& cell, Axis axis, const double* in, double* out) override;
  void substitute(CellData& cell, Axis axis, const double* in, double* out) override;

 private:
  // Up to kLanes neighbouring lines and where they are.
  struct Bundle {
    Lines lines;
    Range rows;   // interior positions
    int count;    // lines; the other lanes hold something harmless
    int i, j, k;  // where position 0 of the first line is
  };

  int bundles(const CellData& cell, Axis axis) const;
  Bundle bundle(CellData& cell, Axis axis, int index);
  void place_in_tile(Bundle& bundle, const CellData& cell, int first, int plane);
  void place_in_row(Bundle& bundle, CellData& cell, Axis axis, int first, int plane) const;

  // Before and after the work on a bundle. Along x `open` fills the tile and `close` copies the solutions back. At the
  // end of the last sweep `close` adds the solutions to that of the flow.
  Bundle open(CellData& cell, Axis axis, int index, bool eliminates);
  void close(CellData& cell, Axis axis, const Bundle& bundle, bool is_solved) const;

  // Where the values of a bundle stand in a message: those of a line are lines_per_message() apart.
  std::ptrdiff_t lines_per_message() const { return edge_ * edge_; }
  std::ptrdiff_t place_in_message(Axis axis, const Bundle& bundle) const;

  void begin_elimination(const Bundle& bundle, const double* in) const;
  void end_elimination(const Bundle& bundle, int end, double* out) const;
  void begin_substitution(const Bundle& bundle, int end, const double* in) const;
  void end_substitution(const Bundle& bundle, double* out) const;

  int slabs_;
  std::ptrdiff_t edge_;  // lines along an edge of the square of lines that a message has room for
  std::array<Coefficients, 3> coefficients_;
  multipartition::Buffer tile_r_, tile_primitives_;
  // For every slab, what elimination leaves for substitution. In the last slab, where the one follows the other bundle
  // by bundle, there is room for one bundle only.
  std::vector<multipartition::Buffer> factors_;
};

}  // namespace npb::bt
