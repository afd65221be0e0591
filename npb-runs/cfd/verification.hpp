// The comparison of a run's norms with the published ones, and how it is printed: the same lines in LU, SP and BT.
// No MPI: rank 0 prints, all ranks hold the same norms and come to the same verdict.
#pragma once

#include "constants.hpp"

namespace npb::cfd {

inline constexpr double kTolerance = 1e-8;  // relative

struct Norms {
  State residual;
  State error;  // of the solution
};

// |value - reference| / |reference|
double relative_difference(double value, double reference);

// False for a NaN.
bool is_verified(double value, double reference);
bool is_verified(const Norms& norms, const Norms& reference);

// The class, the tolerance, and a line per component of both norms; what is too far off is marked FAILURE.
void print_comparison(char problem_class, const Norms& norms, const Norms& reference);

// One such line; `label` stands where the component's number does, at most 4 characters.
void print_comparison_line(const char* label, double value, double reference);

}  // namespace npb::cfd
