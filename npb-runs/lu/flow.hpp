// The components of the flow field: the five unknowns, and two quantities that all formulas need of every point.
#pragma once

#include "../cfd/constants.hpp"
#include "../common/loop.hpp"
#include "field.hpp"

namespace npb::lu {

inline constexpr int kReciprocalDensity = 5;  // 1 / u_1
inline constexpr int kKinetic = 6;            // (u^2 + v^2 + w^2) / 2 of the velocity
inline constexpr int kFlowComponents = 7;

using Flow = Field<kFlowComponents>;
using Vectors = Field<cfd::kComponents>;  // residuals, corrections, the forcing

// Sets what is derived from the unknowns at `count` points next to each other. `s` is the component distance.
inline void derive(double* u, std::ptrdiff_t s, int count) {
  NPB_INDEPENDENT_ITERATIONS
  for (int p = 0; p < count; ++p) {
    const double reciprocal = 1.0 / u[p];
    const double square = u[p + s] * u[p + s] + u[p + 2 * s] * u[p + 2 * s] + u[p + 3 * s] * u[p + 3 * s];
    u[p + kReciprocalDensity * s] = reciprocal;
    u[p + kKinetic * s] = 0.5 * square * (reciprocal * reciprocal);
  }
}

}  // namespace npb::lu
