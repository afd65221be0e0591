// The fourth difference, which damps short waves (NAS-91-002). Near the faces of the grid it is one-sided, so that
// it takes no values on them nor beyond them.
#pragma once

#include <array>

namespace npb::multipartition {

// The coefficients of the points p-2 .. p+2, for an interior point 1 <= p <= n-2 of a line of n >= 6.
constexpr std::array<double, 5> fourth_difference(int p, int n) {
  if (p == 1) return {0, 0, 5, -4, 1};
  if (p == 2) return {0, -4, 6, -4, 1};
  if (p == n - 3) return {1, -4, 6, -4, 0};
  if (p == n - 2) return {1, -4, 5, 0, 0};
  return {1, -4, 6, -4, 1};
}

}  // namespace npb::multipartition
