#include "residual.hpp"

#include <algorithm>

#include "../cfd/dissipation.hpp"

namespace npb::lu {
namespace {

using namespace cfd;

// Diagonals that are done for all planes together: of these few, the five planes that a point needs stay in the cache.
constexpr int kTile = 16;

struct Factors {
  double convective;
  double viscous;
};

// sum += L^direction(u). `step` leads to the next point in the direction, `w` to the first of the point's weights.
// s is the distance between components.
template <int kDirection, int s>
inline void add_direction(double (&sum)[kComponents], const double* u, std::ptrdiff_t step, const double* w,
                          const Factors& factors) {
  constexpr int kNormal = kDirection + 1;
  const double *next = u + step, *previous = u - step;
  const double next_reciprocal = next[kReciprocalDensity * s];
  const double previous_reciprocal = previous[kReciprocalDensity * s];
  const double reciprocal = u[kReciprocalDensity * s];
  const double next_kinetic = next[kKinetic * s], previous_kinetic = previous[kKinetic * s];
  const double next_speed = next[kNormal * s] * next_reciprocal;
  const double previous_speed = previous[kNormal * s] * previous_reciprocal;
  const double speed = u[kNormal * s] * reciprocal;

  double flux[kComponents];
  flux[0] = next[kNormal * s] - previous[kNormal * s];
  for (int m = 1; m < 4; ++m) flux[m] = next[m * s] * next_speed - previous[m * s] * previous_speed;
  const double next_work = kC2 * next_kinetic * next[0], previous_work = kC2 * previous_kinetic * previous[0];
  flux[kNormal] += kC2 * (next[4 * s] - previous[4 * s]) - (next_work - previous_work);
  flux[4] = (kC1 * next[4 * s] - next_work) * next_speed - (kC1 * previous[4 * s] - previous_work) * previous_speed;

  double viscous[kComponents];
  viscous[0] = 0;
  for (int m = 1; m < 4; ++m)
    viscous[m] = next[m * s] * next_reciprocal - 2.0 * (u[m * s] * reciprocal) + previous[m * s] * previous_reciprocal;
  viscous[kNormal] *= 4.0 / 3.0;
  viscous[4] =
      (1.0 - kC15) * (next_kinetic - 2.0 * u[kKinetic * s] + previous_kinetic) +
      (1.0 / 6.0) * (next_speed * next_speed - 2.0 * (speed * speed) + previous_speed * previous_speed) +
      kC15 * (next[4 * s] * next_reciprocal - 2.0 * (u[4 * s] * reciprocal) + previous[4 * s] * previous_reciprocal);

  constexpr int kNextWeight = SpatialOperator::Weights::kStride;
  for (int m = 0; m < kComponents; ++m) {
    const double damping = w[0] * u[m * s - 2 * step] + w[kNextWeight] * previous[m * s] +
                           w[2 * kNextWeight] * u[m * s] + w[3 * kNextWeight] * next[m * s] +
                           w[4 * kNextWeight] * u[m * s + 2 * step];
    sum[m] += factors.viscous * viscous[m] - factors.convective * flux[m] + damping;
  }
}

// For `count` points next to each other. The weights for x and y are arrays along the diagonal; z has one of each.
template <int s>
void apply_to_diagonal(const double* u, const std::ptrdiff_t (&steps)[3], const double* x_weights,
                       const double* y_weights, const double* z_weights, const double* f, double* r, int count,
                       const Factors& given) {
  const Factors factors = given;
  const std::ptrdiff_t x = steps[0], y = steps[1], z = steps[2];
  in_whole_vectors(count, [=](Range part) {
    NPB_INDEPENDENT_ITERATIONS
    for (int p = part.begin; p < part.end; ++p) {
      double sum[kComponents];
      for (int m = 0; m < kComponents; ++m) sum[m] = f[p + m * s];
      add_direction<0, s>(sum, u + p, x, x_weights + p, factors);
      add_direction<1, s>(sum, u + p, y, y_weights + p, factors);
      add_direction<2, s>(sum, u + p, z, z_weights, factors);
      for (int m = 0; m < kComponents; ++m) r[p + m * s] = sum[m];
    }
  });
}

}  // namespace

SpatialOperator::SpatialOperator(const Extent& extent, int n, int x_first, int y_first) : extent_(extent), n_(n) {
  for (int q = 0; q < 5; ++q) {
    for (int i = 0; i < extent.nx; ++i) x_.at[q][i] = dissipation(0, x_first + i, n)[q];
    for (int j = 0; j < extent.ny; ++j) y_.at[q][extent.ny - 1 - j] = dissipation(1, y_first + j, n)[q];
    for (int k = 0; k < extent.nz; ++k) z_.at[q][k] = dissipation(2, k, n)[q];
  }
}

void SpatialOperator::apply(const Flow& u, const Vectors& f, Vectors& r) const {
  const Spacing spacing(n_);
  const Factors factors{spacing.t2, spacing.viscous};
  const std::ptrdiff_t steps[3] = {u.step(0), u.step(1), u.step(2)};
  const Range diagonals = extent_.interior_diagonals();
  with_length(extent_.length(), [&](auto length) {
    const auto apply_to = [&](int d, int k) {
      const Range i = extent_.on_diagonal(d);
      const int j = d - i.begin;
      apply_to_diagonal<length>(u.at(i.begin, j, k), steps, &x_.at[0][i.begin], &y_.at[0][extent_.ny - 1 - j],
                                &z_.at[0][k], f.at(i.begin, j, k), r.at(i.begin, j, k), i.size(), factors);
    };
    for (int first = diagonals.begin; first < diagonals.end; first += kTile)
      for (int k = extent_.z.begin; k < extent_.z.end; ++k)
        for (int d = first; d < std::min(first + kTile, diagonals.end); ++d) apply_to(d, k);
  });
}

}  // namespace npb::lu
