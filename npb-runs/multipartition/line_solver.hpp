// What solves the linear systems of the lines of a cell, as the sweeps see it. No MPI.
#pragma once

#include "cell_data.hpp"

namespace npb::multipartition {

// What one direction of a sweep carries over the boundary of a cell.
struct LineMessage {
  int count;  // doubles
  int tag;
};

// `in` is what the call for the neighbouring cell has written to its `out`.
class LineSolver {
 public:
  virtual ~LineSolver() = default;

  // What crosses the boundaries of a cell along an axis: the same on both sides.
  virtual LineMessage upward_message(const CellData& cell, Axis axis) const = 0;
  virtual LineMessage downward_message(const CellData& cell, Axis axis) const = 0;

  // Eliminates in a cell that is not the last of its lines; `in` is null in the first.
  virtual void eliminate(CellData& cell, Axis axis, const double* in, double* out) = 0;

  // Eliminates and substitutes in the last cell; `in` and `out` are null if it is the first too. These are one call so
  // that what elimination leaves for substitution need not leave the cache.
  virtual void turn_round(CellData& cell, Axis axis, const double* in, double* out) = 0;

  // Substitutes in a cell that is not the last; `out` is null in the first.
  virtual void substitute(CellData& cell, Axis axis, const double* in, double* out) = 0;
};

}  // namespace npb::multipartition
