// The right-hand side of MG: +1 at the ten points with the largest random numbers, -1 at the ten with the smallest.
#pragma once

#include <array>
#include <vector>

#include "../common/range.hpp"

namespace npb::mg {

inline constexpr int kCharges = 10;  // of either sign

using Point = std::array<int, 3>;  // x, y, z of the whole grid

struct Candidate {
  double number;
  Point point;
};

// Up to kCharges candidates, the most extreme one first. All numbers of the grid are distinct.
struct Extremes {
  std::vector<Candidate> largest;
  std::vector<Candidate> smallest;
};

// The extremes of a block of the grid with `points` points per direction. Point (x, y, z) has the random number
// x + points * (y + points * z), counted from 0.
Extremes find_extremes(int points, const std::array<Range, 3>& block);

}  // namespace npb::mg
