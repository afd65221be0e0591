// Gaussian elimination, without pivoting, in the block-tridiagonal systems of BT: 5 x 5 blocks, kLanes lines at once,
// one per lane of a vector. Blocks are built where they are needed and are never stored, but for what elimination
// leaves for substitution.
#pragma once

#include <cstddef>

#include "../cfd/constants.hpp"
#include "../common/range.hpp"

namespace npb::bt {

inline constexpr int kLanes = 8;
inline constexpr int kBlock = cfd::kComponents * cfd::kComponents;

// A bundle of lines. Value m of a lane at position p is at [p * stride + m * pitch + lane], aligned to kLanes numbers.
struct Lines {
  double* r;  // 5 values: right-hand sides, then solutions
  std::ptrdiff_t r_stride, r_pitch;

  const double* primitives;  // in the order of multipartition::Primitive
  std::ptrdiff_t primitive_stride, primitive_pitch;

  double* factors;  // kBlock values, pitch kLanes: the upper blocks of eliminated rows, the diagonal ones being 1
  static constexpr std::ptrdiff_t kFactorStride = kBlock * kLanes;
};

// What the blocks depend on besides the point.
struct Coefficients {
  Coefficients(int points, double dt, int axis);

  double convection;    // dt t2
  double damping;       // dt t1 d
  double viscosity;     // dt t1 c34
  double conductivity;  // dt t1 c1345
};

// Eliminates at positions `rows` of lines along an axis. The position before them must hold an eliminated row, or
// zeros.
void eliminate(const Lines& lines, int axis, Range rows, const Coefficients& coefficients);

// Back substitution at positions `rows`, downwards. The position behind them must hold a solution.
void substitute(const Lines& lines, Range rows);

}  // namespace npb::bt
