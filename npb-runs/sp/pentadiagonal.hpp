// Gaussian elimination, without pivoting, in the pentadiagonal systems of SP: many lines at once, one per lane. The
// lanes of a position are contiguous in memory, so all inner loops run over lanes.
//
// Every line carries three systems. Waves of the normal velocity have one matrix for three right-hand sides; the two
// kinds of sound waves, which are faster and slower by the speed of sound, have one right-hand side each.
#pragma once

#include <cstddef>

#include "../common/range.hpp"

namespace npb::sp {

inline constexpr int kSystems = 3;
inline constexpr int kFactors = 2 * kSystems;  // per point: two upper coefficients of every system
inline constexpr int kReach = 2;               // how far a row of the matrix reaches on either side

// A bundle of lines. Value m of a lane at position p is at [p * stride + m * pitch + lane].
struct Lines {
  std::ptrdiff_t lanes;

  double* r;  // 5 values: right-hand sides, then solutions
  std::ptrdiff_t r_stride, r_pitch;

  double* factors;  // kFactors values: the upper coefficients of eliminated rows, their diagonal being 1
  std::ptrdiff_t factor_stride, factor_pitch;

  const double *velocity, *sound, *inverse_density;  // one value each
  std::ptrdiff_t primitive_stride;
};

// What the coefficients depend on besides the point.
struct Coefficients {
  Coefficients(int points, double dt, int axis);

  int n;               // positions of a whole line
  double convection;   // dt t2
  double damping;      // dt t1 d
  double viscosity;    // dt t1 times the largest factor of 1 / density
  double dissipation;  // dt sigma
};

// Eliminates at positions `rows`, of which position 0 is position `begin` of the whole line. The two positions before
// them must hold eliminated rows, or zeros.
void eliminate(const Lines& lines, Range rows, int begin, const Coefficients& coefficients);

// Back substitution at positions `rows`, downwards. The two positions behind them must hold solutions.
void substitute(const Lines& lines, Range rows);

}  // namespace npb::sp
