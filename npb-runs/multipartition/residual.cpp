#include "residual.hpp"

#include <algorithm>
#include <cmath>

#include "../cfd/dissipation.hpp"
#include "vectorize.hpp"

namespace npb::multipartition {
namespace {

constexpr int kBlockRows = 16;

// The primitives of a row, its halo included.
template <bool kHasSound>
void compute_primitives(CellData& cell, int j, int k) {
  const std::ptrdiff_t pitch = cell.box.pitch;
  const int nx = cell.box.size[kX], lanes = cell.box.lanes;
  const double* const density = cell.solution.row(j, k);
  const double *const mx = density + pitch, *const my = mx + pitch, *const mz = my + pitch, *const energy = mz + pitch;
  double* const to = cell.primitives.row(j, k);
  const auto compute = [&](int i) {
    const double inverse = 1.0 / density[i];
    const double u = mx[i] * inverse, v = my[i] * inverse, w = mz[i] * inverse;
    const double kinetic = 0.5 * (u * u + v * v + w * w);
    const double pressure = cfd::kC2 * (energy[i] - kinetic * density[i]);
    to[kInverseDensity * pitch + i] = inverse;
    to[velocity(kX) * pitch + i] = u;
    to[velocity(kY) * pitch + i] = v;
    to[velocity(kZ) * pitch + i] = w;
    to[kKinetic * pitch + i] = kinetic;
    to[kPressure * pitch + i] = pressure;
    if constexpr (kHasSound) to[kSound * pitch + i] = std::sqrt(cfd::kC1 * pressure * inverse);
  };
  NPB_INDEPENDENT
  for (int i = 0; i < lanes; ++i) compute(i);
  if (cell.interior[kX].contains(0)) compute(-1);
  if (cell.interior[kX].contains(nx - 1)) compute(nx);
}

// The rows of forcing and increment are short and come once per step, so the processor asks for them too late.
void prefetch(const double* values, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; i += Box::kPad) __builtin_prefetch(values + i);
}

void compute_primitives(CellData& cell, Range rows, int k, Primitives primitives) {
  for (int j = rows.begin; j < rows.end; ++j) {
    if (primitives == Primitives::kWithSound) compute_primitives<true>(cell, j, k);
    else compute_primitives<false>(cell, j, k);
  }
}

double centred(const double* f, std::ptrdiff_t stride) { return f[stride] - f[-stride]; }
double second(const double* f, std::ptrdiff_t stride) { return f[-stride] - 2.0 * *f + f[stride]; }

// Factors for all points of the rows of a cell. They are 0 at points on the faces of the grid and in pads.
struct RowFactors {
  RowFactors(const CellData& cell, int n, double scale_inside)
      : pitch(cell.box.pitch),
        dissipation_x(static_cast<std::size_t>(5 * pitch), 0.0),
        scale(static_cast<std::size_t>(pitch), 0.0) {
    for (int i = cell.interior[kX].begin; i < cell.interior[kX].end; ++i) {
      const auto coefficients = cfd::dissipation(kX, cell.place.points[kX].begin + i, n);
      for (int q = 0; q < 5; ++q) dissipation_x.data()[q * pitch + i] = coefficients[q];
      scale.data()[i] = scale_inside;
    }
  }

  std::ptrdiff_t pitch;
  Buffer dissipation_x;  // its five coefficients
  Buffer scale;          // of the residual
};

// Factors of differences between neighbouring points.
struct Factors {
  explicit Factors(int n)
      : flux(cfd::Spacing(n).t2),
        momentum(cfd::Spacing(n).viscous),
        normal_momentum(4.0 / 3.0 * momentum),
        kinetic((1.0 - cfd::kC15) * momentum),
        square(momentum / 6.0),
        energy(cfd::kC15 * momentum) {}

  double flux;
  double momentum, normal_momentum, kinetic, square, energy;  // of second differences: the viscous terms
};

class Operator {
 public:
  Operator(CellData& cell, int n, double scale) : cell_(cell), n_(n), factors_(n), row_factors_(cell, n, scale) {}

  // Adds the operator along one axis to a row of the increment. The first axis, x, starts from the forcing; the last,
  // z, ends with the scaling.
  template <Axis kAxis>
  void apply(int j, int k) const;

 private:
  CellData& cell_;
  int n_;
  Factors factors_;
  RowFactors row_factors_;
};

template <Axis kAxis>
void Operator::apply(int j, int k) const {
  constexpr int kNormal = kAxis + 1;  // the component of the momentum along the axis
  const std::ptrdiff_t pitch = cell_.box.pitch;
  const std::ptrdiff_t su = kAxis == kX ? 1 : cell_.solution.stride(kAxis);
  const std::ptrdiff_t sp = kAxis == kX ? 1 : cell_.primitives.stride(kAxis);
  const double* const solution = cell_.solution.row(j, k);
  const double* const primitives = cell_.primitives.row(j, k);
  double* const to = cell_.increment.row(j, k);
  const double* const base = kAxis == kX ? cell_.forcing.row(j, k) : to;

  const Factors f = factors_;  // a copy, which the stores of the loop cannot change
  const double* const dissipation_x = row_factors_.dissipation_x.data();
  std::array<double, 5> dissipation_yz{};
  if constexpr (kAxis != kX)
    dissipation_yz = cfd::dissipation(kAxis, cell_.place.points[kAxis].begin + (kAxis == kY ? j : k), n_);

  const double* const scale = row_factors_.scale.data();
  const int lanes = cell_.box.lanes;
  NPB_INDEPENDENT
  for (int i = 0; i < lanes; ++i) {
    const double* const u = solution + i;
    const double* const p = primitives + i;
    const double* const s = p + velocity(kAxis) * pitch;  // the normal velocity
    const double* const pressure = p + kPressure * pitch;
    const double *const energy = u + 4 * pitch, *const inverse = p + kInverseDensity * pitch;
    const auto dissipated = [&](int m) {
      double sum = 0;
      for (int q = 0; q < 5; ++q)
        sum += (kAxis == kX ? dissipation_x[q * pitch + i] : dissipation_yz[q]) * u[m * pitch + (q - 2) * su];
      return sum;
    };
    const auto put = [&](int m, double value) {
      const double sum = base[m * pitch + i] + value;
      to[m * pitch + i] = kAxis == kZ ? scale[i] * sum : sum;
    };

    put(0, dissipated(0) - f.flux * centred(u + kNormal * pitch, su));
    for (int m = 1; m <= 3; ++m) {
      const double* const momentum = u + m * pitch;
      double flux = momentum[su] * s[sp] - momentum[-su] * s[-sp];
      if (m == kNormal) flux += centred(pressure, sp);
      put(m, dissipated(m) - f.flux * flux +
                 (m == kNormal ? f.normal_momentum : f.momentum) * second(p + velocity(m - 1) * pitch, sp));
    }
    // The flux of energy is that of energy and pressure together, since c1 = 1 + c2.
    const double flux = (energy[su] + pressure[sp]) * s[sp] - (energy[-su] + pressure[-sp]) * s[-sp];
    const double square = s[-sp] * s[-sp] - 2.0 * *s * *s + s[sp] * s[sp];
    const double specific = energy[-su] * inverse[-sp] - 2.0 * *energy * *inverse + energy[su] * inverse[sp];
    put(4, dissipated(4) - f.flux * flux + f.kinetic * second(p + kKinetic * pitch, sp) + f.square * square +
               f.energy * specific);
  }
}

}  // namespace

// Goes through the cell in blocks of rows, and in a block plane by plane, so that the planes which the operator along z
// reaches are still in the cache. Primitives are computed just before the first residual that needs them.
void compute_residual(CellData& cell, int n, double scale, Primitives primitives) {
  const Operator op(cell, n, scale);
  const Range rows = cell.interior[kY], planes = cell.interior[kZ];
  int next = rows.begin - 1;  // the first row without primitives
  for (int begin = rows.begin; begin < rows.end; begin += kBlockRows) {
    const int end = std::min(begin + kBlockRows, rows.end);
    for (int k = planes.begin - 1; k <= planes.end; ++k) {
      compute_primitives(cell, {next, end + 1}, k, primitives);
      if (!planes.contains(k - 1)) continue;
      for (int j = begin; j < end; ++j) {
        prefetch(cell.forcing.row(j + 1, k - 1), cfd::kComponents * cell.box.pitch);
        prefetch(cell.increment.row(j + 1, k - 1), cfd::kComponents * cell.box.pitch);
        op.apply<kX>(j, k - 1);
        op.apply<kY>(j, k - 1);
        op.apply<kZ>(j, k - 1);
      }
    }
    next = end + 1;
  }
}

}  // namespace npb::multipartition
