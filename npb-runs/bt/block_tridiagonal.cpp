#include "block_tridiagonal.hpp"

#include <utility>

#include "../multipartition/cell_data.hpp"

#define NPB_INLINE inline __attribute__((always_inline))

namespace npb::bt {

using multipartition::Primitive;

Coefficients::Coefficients(int points, double dt, int axis)
    : convection(dt * cfd::Spacing(points).t2),
      damping(dt * cfd::Spacing(points).t1 * cfd::kDissipation2[axis]),
      viscosity(dt * cfd::Spacing(points).t1 * cfd::kC34),
      conductivity(dt * cfd::Spacing(points).t1 * cfd::kC1345) {}

namespace {

constexpr int kSize = cfd::kComponents;
constexpr int kColumns = 2 * kSize + 1;  // of an extended row: diagonal block, upper block, right-hand side
constexpr int kRightHandSide = 2 * kSize;

// A number of every lane.
typedef double Pack __attribute__((vector_size(kLanes * sizeof(double)), may_alias));

const Pack& at(const double* position) { return *reinterpret_cast<const Pack*>(position); }
Pack& at(double* position) { return *reinterpret_cast<Pack*>(position); }

// Calls body with 0 .. kCount-1 as compile-time constants.
template <int kCount, class Body>
NPB_INLINE void unrolled(const Body& body) {
  [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, kIndex>{}), ...);
  }
  (std::make_integer_sequence<int, kCount>{});
}

// What the blocks are made of at one position.
struct Point {
  Pack inverse_density, velocity[3], kinetic, energy;  // energy per mass

  NPB_INLINE void load(const Lines& lines, int p) {
    const double* const from = lines.primitives + p * lines.primitive_stride;
    const std::ptrdiff_t pitch = lines.primitive_pitch;
    inverse_density = at(from + multipartition::kInverseDensity * pitch);
    for (int m = 0; m < 3; ++m) velocity[m] = at(from + multipartition::velocity(m) * pitch);
    kinetic = at(from + multipartition::kKinetic * pitch);
    energy = at(from + multipartition::kPressure * pitch) * inverse_density * (1.0 / cfd::kC2) + kinetic;
  }
};

// Whether an entry of the blocks above and below the diagonal can differ from 0.
constexpr bool is_coupled(int axis, int row, int column) {
  const int normal = axis + 1;
  if (row == normal || row == 4) return true;
  return column == normal || column == row || (column == 0 && row != 0);
}

struct Block {
  Pack entry[kSize][kSize];
};

// The viscous terms of a position: dt t1 N, without its signs. The diagonal block holds them twice, its neighbours
// once with the opposite sign.
struct Viscous {
  Pack momentum[3];  // of each momentum by itself
  Pack energy[3];    // of energy by momentum
  Pack energy_energy;
  Pack energy_density;

  NPB_INLINE void set(const Point& point, int axis, const Coefficients& c) {
    const Pack conductivity = c.conductivity * point.inverse_density;
    energy_energy = conductivity;
    energy_density = conductivity * point.energy;
    for (int m = 0; m < 3; ++m) {
      momentum[m] = (m == axis ? 4.0 / 3.0 * c.viscosity : c.viscosity) * point.inverse_density;
      energy[m] = (momentum[m] - conductivity) * point.velocity[m];
      energy_density += energy[m] * point.velocity[m];
    }
  }
};

// The block that couples a position to this one: convection * A - dt t1 (N + d); convection is negative for the block
// below the diagonal.
template <int kAxis>
NPB_INLINE void set_off_diagonal(Block& block, const Point& point, double convection, const Coefficients& c) {
  constexpr int kNormal = kAxis + 1;
  Viscous viscous;
  viscous.set(point, kAxis, c);
  auto& m = block.entry;
  const Pack zero{};
  const Pack flow = convection * point.velocity[kAxis];  // dt t2 times the normal velocity
  m[0][0] = zero - c.damping;
  m[0][kNormal] = zero + convection;
  unrolled<3>([&](auto index) __attribute__((always_inline)) {
    constexpr int kMomentum = index + 1;
    const Pack& velocity = point.velocity[index];
    const Pack& own = viscous.momentum[index];
    if constexpr (kMomentum == kNormal) {
      m[kMomentum][0] = convection * cfd::kC2 * point.kinetic - (flow - own) * velocity;
      m[kMomentum][kMomentum] = (2.0 - cfd::kC2) * flow - own - c.damping;
      m[4][kMomentum] = convection * (cfd::kC1 * point.energy - cfd::kC2 * (point.kinetic + velocity * velocity)) -
                        viscous.energy[index];
    } else {
      m[kMomentum][0] = (own - flow) * velocity;
      m[kMomentum][kMomentum] = flow - own - c.damping;
      m[kMomentum][kNormal] = convection * velocity;
      m[kNormal][kMomentum] = -cfd::kC2 * convection * velocity;
      m[4][kMomentum] = -cfd::kC2 * flow * velocity - viscous.energy[index];
    }
  });
  m[kNormal][4] = zero + cfd::kC2 * convection;
  m[4][0] = (2.0 * cfd::kC2 * point.kinetic - cfd::kC1 * point.energy) * flow + viscous.energy_density;
  m[4][4] = cfd::kC1 * flow - viscous.energy_energy - c.damping;
}

// 1 + 2 dt t1 (N + d).
NPB_INLINE void set_diagonal(Block& block, const Point& point, int axis, const Coefficients& c) {
  Viscous viscous;
  viscous.set(point, axis, c);
  const double own = 1.0 + 2.0 * c.damping;
  block = {};
  auto& m = block.entry;
  m[0][0] += own;
  for (int k = 0; k < 3; ++k) {
    m[k + 1][0] = -2.0 * viscous.momentum[k] * point.velocity[k];
    m[k + 1][k + 1] = own + 2.0 * viscous.momentum[k];
    m[4][k + 1] = 2.0 * viscous.energy[k];
  }
  m[4][0] = -2.0 * viscous.energy_density;
  m[4][4] = own + 2.0 * viscous.energy_energy;
}

// The rows of one position: diagonal block, upper block, right-hand side.
struct ExtendedRows {
  Pack row[kSize][kColumns];
};

// Subtracts the eliminated position before from row `i`. What the lower block holds there goes, and the upper block
// of that position comes to the diagonal one.
template <int kAxis, int i>
NPB_INLINE void subtract_position_before(Pack (&own)[kColumns], const Block& lower, const double* factors_before,
                                         const double* r_before, std::ptrdiff_t r_pitch) {
  unrolled<kSize>([&](auto k) __attribute__((always_inline)) {
    if constexpr (is_coupled(kAxis, i, k)) {
      const Pack factor = lower.entry[i][k];
      for (int j = 0; j < kSize; ++j) own[j] -= factor * at(factors_before + (k * kSize + j) * kLanes);
      own[kRightHandSide] -= factor * at(r_before + k * r_pitch);
    }
  });
}

// Subtracts the rows above row `i` from it, so that its entries below the diagonal go, and makes its diagonal 1.
template <int i>
NPB_INLINE void subtract_rows_above(ExtendedRows& rows) {
  auto& own = rows.row[i];
  unrolled<i>([&](auto k) __attribute__((always_inline)) {
    const Pack factor = own[k];
    for (int j = k + 1; j < kColumns; ++j) own[j] -= factor * rows.row[k][j];
  });
  const Pack scale = 1.0 / own[i];
  for (int j = i + 1; j < kColumns; ++j) own[j] *= scale;
}

// Subtracts the rows below row `i` from it, so that its entries above the diagonal go.
template <int i>
NPB_INLINE void subtract_rows_below(ExtendedRows& rows) {
  auto& own = rows.row[i];
  unrolled<kSize - 1 - i>([&](auto below) __attribute__((always_inline)) {
    constexpr int k = i + 1 + below;
    const Pack factor = own[k];
    for (int j = kSize; j < kColumns; ++j) own[j] -= factor * rows.row[k][j];
  });
}

// Eliminates one position, given what the blocks are made of there and on either side.
template <int kAxis>
NPB_INLINE void eliminate_position(const Lines& lines, int p, const Point& before, const Point& here,
                                   const Point& behind, const Coefficients& c) {
  Block lower, diagonal, upper;
  set_off_diagonal<kAxis>(lower, before, -c.convection, c);
  set_diagonal(diagonal, here, kAxis, c);
  set_off_diagonal<kAxis>(upper, behind, c.convection, c);
  double* const r = lines.r + p * lines.r_stride;
  double* const factors = lines.factors + p * Lines::kFactorStride;

  ExtendedRows rows;
  unrolled<kSize>([&](auto i) __attribute__((always_inline)) {
    auto& own = rows.row[i];
    unrolled<kSize>([&](auto j) __attribute__((always_inline)) {
      own[j] = diagonal.entry[i][j];
      if constexpr (is_coupled(kAxis, i, j)) own[kSize + j] = upper.entry[i][j];
      else own[kSize + j] = Pack{};
    });
    own[kRightHandSide] = at(r + i * lines.r_pitch);
    subtract_position_before<kAxis, i>(own, lower, factors - Lines::kFactorStride, r - lines.r_stride, lines.r_pitch);
    subtract_rows_above<i>(rows);
  });
  unrolled<kSize>([&](auto from_last) __attribute__((always_inline)) {
    constexpr int i = kSize - 1 - from_last;
    subtract_rows_below<i>(rows);
    for (int j = 0; j < kSize; ++j) at(factors + (i * kSize + j) * kLanes) = rows.row[i][kSize + j];
    at(r + i * lines.r_pitch) = rows.row[i][kRightHandSide];
  });
}

template <int kAxis>
void eliminate_along(const Lines& lines, Range rows, const Coefficients& coefficients) {
  Point points[3];  // of three successive positions, in turn
  points[0].load(lines, rows.begin - 1);
  points[1].load(lines, rows.begin);
  for (int p = rows.begin; p < rows.end; ++p) {
    points[2].load(lines, p + 1);
    eliminate_position<kAxis>(lines, p, points[0], points[1], points[2], coefficients);
    points[0] = points[1];
    points[1] = points[2];
  }
}

}  // namespace

void eliminate(const Lines& lines, int axis, Range rows, const Coefficients& coefficients) {
  switch (axis) {
    case multipartition::kX: eliminate_along<multipartition::kX>(lines, rows, coefficients); break;
    case multipartition::kY: eliminate_along<multipartition::kY>(lines, rows, coefficients); break;
    default: eliminate_along<multipartition::kZ>(lines, rows, coefficients); break;
  }
}

void substitute(const Lines& lines, Range rows) {
  for (int p = rows.end - 1; p >= rows.begin; --p) {
    double* const r = lines.r + p * lines.r_stride;
    const double* const r_behind = r + lines.r_stride;
    const double* const factors = lines.factors + p * Lines::kFactorStride;
    for (int i = 0; i < kSize; ++i) {
      Pack sum = at(r + i * lines.r_pitch);
      for (int k = 0; k < kSize; ++k) sum -= at(factors + (i * kSize + k) * kLanes) * at(r_behind + k * lines.r_pitch);
      at(r + i * lines.r_pitch) = sum;
    }
  }
}

}  // namespace npb::bt
