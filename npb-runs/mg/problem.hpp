// Constants of the problem classes of MG.
#pragma once

#include <algorithm>
#include <bit>

namespace npb::mg {

// A 27-point operator: one coefficient each for the centre, the 6 faces, the 12 edges and the 8 corners of the
// cube around a point.
struct Stencil {
  double centre;
  double face;
  double edge;
  double corner;
};

inline constexpr Stencil kLaplacian{-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0};
inline constexpr Stencil kWeighting{1.0 / 2.0, 1.0 / 4.0, 1.0 / 8.0, 1.0 / 16.0};  // of the restriction
inline constexpr Stencil kSmallClassSmoother{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};
inline constexpr Stencil kLargeClassSmoother{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0};

struct Problem {
  char problem_class;
  int points;  // of the finest grid, per direction: a power of two
  int cycles;
  Stencil smoother;
  double expected_norm;  // of the residual after the last cycle

  // Level k has 2^k points per direction; level 1 is the coarsest.
  constexpr int levels() const { return std::countr_zero(static_cast<unsigned>(points)); }

  static constexpr double kTolerance = 1e-8;  // relative, on the norm
};

inline constexpr Problem kProblems[] = {
    {'S', 32, 4, kSmallClassSmoother, 0.5307707005734e-04},   {'W', 128, 4, kSmallClassSmoother, 0.6467329375339e-05},
    {'A', 256, 4, kSmallClassSmoother, 0.2433365309069e-05},  {'B', 256, 20, kLargeClassSmoother, 0.1800564401355e-05},
    {'C', 512, 20, kLargeClassSmoother, 0.5706732285740e-06},
};

// What buffers for one row are made for.
inline constexpr int kMostPoints = 512;
static_assert(std::ranges::all_of(kProblems, [](const Problem& problem) { return problem.points <= kMostPoints; }));

}  // namespace npb::mg
