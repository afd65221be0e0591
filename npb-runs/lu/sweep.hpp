// One plane of the two sweeps of the symmetric successive over-relaxation. Local work only.
#pragma once

#include "flow.hpp"

namespace npb::lu {

class Sweep {
 public:
  // `n` is the number of grid points per direction.
  Sweep(const Extent& extent, int n, double dt, double omega);

  // v <- D^-1 (dt v - omega (Z v_{k-1} + Y v_{j-1} + X v_{i-1})) at the interior points of plane k. v holds the
  // residual there, and the lower sweep's result already in plane k-1 and in the ghost layers at smaller i and j.
  void lower(const Flow& u, Vectors& v, int k) const;

  // v <- v - D^-1 omega (Z v_{k+1} + Y v_{j+1} + X v_{i+1}). v holds the result of the lower sweep, and the upper
  // sweep's in plane k+1 and in the ghost layers at larger i and j.
  void upper(const Flow& u, Vectors& v, int k) const;

  // The factors of the blocks, equal at all points.
  struct Factors {
    double convective;        // omega dt t2, negative in the upper sweep
    double viscous;           // omega dt t1
    double dissipation[3];    // omega dt t1 d_d
    double diagonal;          // the part of D that does not depend on the flow
    double diagonal_viscous;  // 2 dt t1
    double dt;
  };

 private:
  template <bool kIsLower>
  void run(const Flow& u, Vectors& v, int k, const Factors& factors) const;

  Extent extent_;
  Factors lower_;
  Factors upper_;
};

}  // namespace npb::lu
