#include "operators.hpp"

#include <cmath>

namespace npb::mg {
namespace {

constexpr int kLongestRow = kMostPoints + 2;

// A stencil's sum at point i of a row is central[i] + lateral[i - 1] + lateral[i + 1]: the first is what the nine
// points with the same x contribute, the others are what those beside them do. So each value of `lateral` is
// computed once and used twice.
struct RowSums {
  double central[kLongestRow];
  double lateral[kLongestRow];

  double at(int i) const { return central[i] + (lateral[i - 1] + lateral[i + 1]); }
};

// For the own points of row (j, k) of the field.
inline void sum_row(const Stencil& stencil, const Field& field, int j, int k, RowSums& sums) {
  const Stencil weight = stencil;  // a copy, which the stores below cannot change
  const double* __restrict centre = field.row(j, k);
  const double* __restrict south = field.row(j - 1, k);
  const double* __restrict north = field.row(j + 1, k);
  const double* __restrict below = field.row(j, k - 1);
  const double* __restrict above = field.row(j, k + 1);
  const double* __restrict south_below = field.row(j - 1, k - 1);
  const double* __restrict north_below = field.row(j + 1, k - 1);
  const double* __restrict south_above = field.row(j - 1, k + 1);
  const double* __restrict north_above = field.row(j + 1, k + 1);
  double* __restrict central = sums.central;
  double* __restrict lateral = sums.lateral;
  const int length = static_cast<int>(field.row_length());
  for (int i = 0; i < length; ++i) {
    const double faces = (south[i] + north[i]) + (below[i] + above[i]);
    const double edges = (south_below[i] + north_below[i]) + (south_above[i] + north_above[i]);
    central[i] = weight.centre * centre[i] + weight.face * faces + weight.edge * edges;
    lateral[i] = weight.face * centre[i] + weight.edge * faces + weight.corner * edges;
  }
}

void residual_plane(const Field& u, const Field& v, Field& r, int k) {
  RowSums sums;
  const int extent = r.extent(kX);
  for (int j = 1; j <= r.extent(kY); ++j) {
    sum_row(kLaplacian, u, j, k, sums);
    const double* __restrict source = v.row(j, k);
    double* __restrict out = r.row(j, k);
    for (int i = 1; i <= extent; ++i) out[i] = source[i] - sums.at(i);
  }
}

enum class Store { kAssign, kAdd };

template <Store store>
inline void put(double& slot, double value) {
  if constexpr (store == Store::kAdd) slot += value;
  else slot = value;
}

int shift_between(const Field& coarse, const Field& fine, Axis axis) {
  return 2 * coarse.extent(axis) - fine.extent(axis);
}

// Interpolates along x: `line` has coarse spacing and its values count `weight`, `out` is a row of the fine block.
template <Store store>
void interpolate_row(const double* __restrict line, int coarse_extent, int shift, double weight,
                     double* __restrict out) {
  const double half = 0.5 * weight;
  if (shift == 1) put<store>(out[0], half * (line[0] + line[1]));
  double* __restrict pair = out + shift;
  const double* __restrict from = line + shift;
  for (int i = 0; i <= coarse_extent - shift; ++i) {
    put<store>(pair[2 * i], weight * from[i]);
    put<store>(pair[2 * i + 1], half * (from[i] + from[i + 1]));
  }
}

// The fine rows at and after coarse row (j, k), in the directions y and z: up to four. A fine block of one point
// has no row at the lower ghost of the coarse one.
template <Store store>
void interpolate_rows(const Field& coarse, Field& fine, int j, int k) {
  const int extent = coarse.extent(kX);
  const int x_shift = shift_between(coarse, fine, kX);
  const int fine_j = 2 * j - shift_between(coarse, fine, kY);
  const int fine_k = 2 * k - shift_between(coarse, fine, kZ);
  const double* __restrict here = coarse.row(j, k);
  const double* __restrict north = coarse.row(j + 1, k);
  const double* __restrict above = coarse.row(j, k + 1);
  const double* __restrict north_above = coarse.row(j + 1, k + 1);
  double to_north[kLongestRow];
  double to_above[kLongestRow];
  double to_corner[kLongestRow];
  for (int i = 0; i < extent + 2; ++i) {
    to_north[i] = here[i] + north[i];
    to_above[i] = here[i] + above[i];
    to_corner[i] = to_north[i] + (above[i] + north_above[i]);
  }
  if (fine_k >= 0) {
    if (fine_j >= 0) interpolate_row<store>(here, extent, x_shift, 1.0, fine.row(fine_j, fine_k));
    interpolate_row<store>(to_north, extent, x_shift, 0.5, fine.row(fine_j + 1, fine_k));
  }
  if (fine_j >= 0) interpolate_row<store>(to_above, extent, x_shift, 0.5, fine.row(fine_j, fine_k + 1));
  interpolate_row<store>(to_corner, extent, x_shift, 0.25, fine.row(fine_j + 1, fine_k + 1));
}

// The fine planes at and after coarse plane k, 0 <= k <= extent.
template <Store store>
void interpolate_planes(const Field& coarse, Field& fine, int k) {
  for (int j = 0; j <= coarse.extent(kY); ++j) interpolate_rows<store>(coarse, fine, j, k);
}

}  // namespace

void residual(const Field& u, const Field& v, Field& r) {
  for (int k = 1; k <= r.extent(kZ); ++k) residual_plane(u, v, r, k);
}

void subtract_laplacian(const Field& u, Field& r) {
  RowSums sums;
  const int extent = r.extent(kX);
  for (int k = 1; k <= r.extent(kZ); ++k)
    for (int j = 1; j <= r.extent(kY); ++j) {
      sum_row(kLaplacian, u, j, k, sums);
      double* __restrict out = r.row(j, k);
      for (int i = 1; i <= extent; ++i) out[i] -= sums.at(i);
    }
}

void smooth(const Stencil& smoother, const Field& r, Field& u) {
  RowSums sums;
  const int extent = u.extent(kX);
  for (int k = 1; k <= u.extent(kZ); ++k)
    for (int j = 1; j <= u.extent(kY); ++j) {
      sum_row(smoother, r, j, k, sums);
      double* __restrict out = u.row(j, k);
      for (int i = 1; i <= extent; ++i) out[i] += sums.at(i);
    }
}

void restrict_to(Field& coarse, const Field& fine) {
  RowSums sums;
  const int extent = coarse.extent(kX);
  const int x_shift = shift_between(coarse, fine, kX);
  const int y_shift = shift_between(coarse, fine, kY);
  const int z_shift = shift_between(coarse, fine, kZ);
  for (int k = 1; k <= coarse.extent(kZ); ++k)
    for (int j = 1; j <= coarse.extent(kY); ++j) {
      sum_row(kWeighting, fine, 2 * j - y_shift, 2 * k - z_shift, sums);
      double* __restrict out = coarse.row(j, k);
      for (int i = 1; i <= extent; ++i) out[i] = sums.at(2 * i - x_shift);
    }
}

void interpolate(const Field& coarse, Field& fine) {
  for (int k = 0; k <= coarse.extent(kZ); ++k) interpolate_planes<Store::kAssign>(coarse, fine, k);
}

// The residual of a plane needs u up to the next plane, so it follows the interpolation at that distance.
void correct_and_residual(const Field& coarse, Field& u, const Field& v, Field& r) {
  int next = 1;
  for (int k = 0; k <= coarse.extent(kZ); ++k) {
    interpolate_planes<Store::kAdd>(coarse, u, k);
    const int finished = 2 * k + 1 - shift_between(coarse, u, kZ);
    for (; next < finished; ++next) residual_plane(u, v, r, next);
  }
}

// Independent sums, so that the additions do not wait for each other. Their order is fixed, so the bits repeat.
Norms measure(const Field& r) {
  constexpr int kLanes = 8;
  double sum[kLanes] = {};
  double largest[kLanes] = {};
  const int extent = r.extent(kX);
  const auto add = [&](int lane, double value) {
    sum[lane] += value * value;
    const double size = std::fabs(value);
    largest[lane] = size > largest[lane] ? size : largest[lane];
  };
  for (int k = 1; k <= r.extent(kZ); ++k)
    for (int j = 1; j <= r.extent(kY); ++j) {
      const double* __restrict row = r.row(j, k) + 1;
      int i = 0;
      for (; i + kLanes <= extent; i += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) add(lane, row[i + lane]);
      for (; i < extent; ++i) add(0, row[i]);
    }
  Norms norms;
  for (int lane = 0; lane < kLanes; ++lane) {
    norms.sum_of_squares += sum[lane];
    norms.largest = std::fmax(norms.largest, largest[lane]);
  }
  return norms;
}

}  // namespace npb::mg
