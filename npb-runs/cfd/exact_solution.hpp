// The steady solution that the forcing prescribes, and the field that the iterations start from. Pure functions of
// the coordinates in the unit cube.
#pragma once

#include "constants.hpp"

namespace npb::cfd {

// The coordinate of point `index` of n. The last point's is exactly 1.
constexpr double coordinate(int index, int n) { return static_cast<double>(index) / (n - 1); }

// A polynomial of degree 4 in each coordinate.
State exact_solution(double xi, double eta, double zeta);

// The exact solution on the faces of the cube; inside, their transfinite interpolation. The products in it are
// products of interpolated values, which makes the initial error large.
State initial_value(double xi, double eta, double zeta);

}  // namespace npb::cfd
