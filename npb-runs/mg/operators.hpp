// The operators of the multigrid method on a rank's block. They read ghost points, which must be valid, and no
// communication happens here.
//
// "Coarse" and "fine" are a rank's blocks of two successive levels. Point J of the coarse level lies on point
// 2J + 1 of the fine one, counting over the whole grid. In local indices that is 2J - shift, where the shift is 0
// if the fine block is twice as long as the coarse one, and 1 if both have one point: then the levels have so few
// points that each rank owns one at most.
#pragma once

#include "field.hpp"
#include "problem.hpp"

namespace npb::mg {

// r = v - A u on the block's own points.
void residual(const Field& u, const Field& v, Field& r);

// r -= A u on the block's own points.
void subtract_laplacian(const Field& u, Field& r);

// u += S r on the block's own points.
void smooth(const Stencil& smoother, const Field& r, Field& u);

// coarse = W fine, on the coarse block's own points: full weighting.
void restrict_to(Field& coarse, const Field& fine);

// fine = Q coarse: trilinear interpolation, on ghost points too.
void interpolate(const Field& coarse, Field& fine);

// u += Q coarse, on ghost points too, and r = v - A u on own points. One sweep, which reads u once.
void correct_and_residual(const Field& coarse, Field& u, const Field& v, Field& r);

// Over the block's own points.
struct Norms {
  double sum_of_squares = 0;
  double largest = 0;  // absolute value
};
Norms measure(const Field& r);

}  // namespace npb::mg
