#include "verification.hpp"

#include <cmath>
#include <cstdio>
#include <string>

namespace npb::cfd {
namespace {

bool is_verified(const State& values, const State& reference) {
  for (int m = 0; m < kComponents; ++m)
    if (!cfd::is_verified(values[m], reference[m])) return false;
  return true;
}

void print_state(const State& values, const State& reference) {
  for (int m = 0; m < kComponents; ++m) print_comparison_line(std::to_string(m + 1).c_str(), values[m], reference[m]);
}

}  // namespace

double relative_difference(double value, double reference) { return std::fabs((value - reference) / reference); }

bool is_verified(double value, double reference) { return relative_difference(value, reference) <= kTolerance; }

bool is_verified(const Norms& norms, const Norms& reference) {
  return is_verified(norms.residual, reference.residual) && is_verified(norms.error, reference.error);
}

void print_comparison(char problem_class, const Norms& norms, const Norms& reference) {
  std::printf("\n Verification being performed for class %c\n", problem_class);
  std::printf(" Accuracy setting for epsilon = %20.13e\n", kTolerance);
  std::printf(" Norms of the residual: value, reference, relative difference\n");
  print_state(norms.residual, reference.residual);
  std::printf(" Norms of the solution error: value, reference, relative difference\n");
  print_state(norms.error, reference.error);
}

void print_comparison_line(const char* label, double value, double reference) {
  std::printf(" %-7s %4s  %20.13e %20.13e %20.13e\n", is_verified(value, reference) ? "" : "FAILURE", label, value,
              reference, relative_difference(value, reference));
}

}  // namespace npb::cfd
