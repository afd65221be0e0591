// The spatial operator of the equations: L(u), the sum of convection, viscosity and dissipation in the three
// directions. Local work only.
#pragma once

#include <iterator>

#include "flow.hpp"

namespace npb::lu {

class SpatialOperator {
 public:
  // `n` is the number of grid points per direction, `x_first` and `y_first` the place of the rank's first point.
  SpatialOperator(const Extent& extent, int n, int x_first, int y_first);

  // r = f + L(u) at interior points; f and r are different fields. Needs both ghost layers of u, and what is derived
  // from it in the first.
  void apply(const Flow& u, const Vectors& f, Vectors& r) const;

  // The dissipation, second and fourth differences, as a weighted sum of the values at distance -2 .. 2. The weights
  // depend on the distance from the faces of the cube, so there is an array of each.
  struct Weights {
    static constexpr int kStride = kLengths[std::size(kLengths) - 1];
    double at[5][kStride] = {};
  };

 private:
  Extent extent_;
  int n_;
  Weights x_;  // by i
  Weights y_;  // by ny - 1 - j: i grows as j falls
  Weights z_;  // by k
};

}  // namespace npb::lu
