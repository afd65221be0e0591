// The dissipation, which damps short waves (NAS-91-002): second and fourth differences. Near the faces of the grid the
// fourth is one-sided, so that it takes no values on them nor beyond them.
#pragma once

#include <array>

#include "constants.hpp"

namespace npb::cfd {

// The coefficients of the points p-2 .. p+2, for an interior point 1 <= p <= n-2 of a line of n >= 6. Other points p
// have some as well, which nobody may use.
constexpr std::array<double, 5> fourth_difference(int p, int n) {
  if (p == 1) return {0, 0, 5, -4, 1};
  if (p == 2) return {0, -4, 6, -4, 1};
  if (p == n - 3) return {1, -4, 6, -4, 0};
  if (p == n - 2) return {1, -4, 5, 0, 0};
  return {1, -4, 6, -4, 1};
}

// The same of second and fourth differences together, along direction 0, 1, 2 (x, y, z).
constexpr std::array<double, 5> dissipation(int direction, int p, int n) {
  auto coefficients = fourth_difference(p, n);
  for (double& coefficient : coefficients) coefficient *= -kDissipation4;
  const double second_order = kDissipation2[direction] * Spacing(n).t1;
  coefficients[1] += second_order;
  coefficients[2] -= 2.0 * second_order;
  coefficients[3] += second_order;
  return coefficients;
}

}  // namespace npb::cfd
