#include "pentadiagonal.hpp"

#include "../cfd/constants.hpp"
#include "../cfd/dissipation.hpp"
#include "../multipartition/vectorize.hpp"

namespace npb::sp {

// The viscous terms of momentum and energy act on the waves together, by the largest of their factors. That is the
// energy's.
static_assert(cfd::kC15 > 4.0 / 3.0);

Coefficients::Coefficients(int points, double dt, int axis)
    : n(points),
      convection(dt * cfd::Spacing(points).t2),
      damping(dt * cfd::Spacing(points).t1 * cfd::kDissipation2[axis]),
      viscosity(dt * cfd::Spacing(points).t1 * cfd::kC15 * cfd::kC34),
      dissipation(dt * cfd::kDissipation4) {}

namespace {

// The matrix row of one position and one system, without the outermost coefficients, which are the same in all lanes.
struct Row {
  double lower, diagonal, upper;
};

// What elimination does to a right-hand side: subtracts `lower` times the one before, then multiplies by `scale`.
struct Elimination {
  double lower, scale;
};

// Eliminates one position. A row of the eliminated matrix is x_p + c0 x_{p+1} + c1 x_{p+2} = r_p.
void eliminate_position(const Lines& lines, int p, const std::array<double, 5>& weights,
                        const Coefficients& coefficients) {
  const double convection = coefficients.convection, damping = coefficients.damping;
  const double viscosity = coefficients.viscosity;
  const double lowest = weights[0], highest = weights[4];
  const double lower_weight = weights[1] - damping, upper_weight = weights[3] - damping;
  const double diagonal_weight = 1.0 + weights[2] + 2.0 * damping;
  const std::ptrdiff_t rs = lines.r_stride, rp = lines.r_pitch, fs = lines.factor_stride, fp = lines.factor_pitch;
  const std::ptrdiff_t ps = lines.primitive_stride;
  double *const r = lines.r + p * rs, *const c = lines.factors + p * fs;
  const double *const velocity = lines.velocity + p * ps, *const sound = lines.sound + p * ps;
  const double* const inverse_density = lines.inverse_density + p * ps;
  const std::ptrdiff_t lanes = lines.lanes;

  NPB_INDEPENDENT
  for (std::ptrdiff_t l = 0; l < lanes; ++l) {
    // Subtracts the two rows before and scales the diagonal to 1.
    const auto eliminate = [&](Row row, int system) {
      double* const f = c + 2 * system * fp + l;
      row.lower -= lowest * f[-2 * fs];
      row.diagonal -= lowest * f[fp - 2 * fs] + row.lower * f[-fs];
      row.upper -= row.lower * f[fp - fs];
      const double scale = 1.0 / row.diagonal;
      f[0] = row.upper * scale;
      f[fp] = highest * scale;
      return Elimination{row.lower, scale};
    };
    const auto update = [&](const Elimination& elimination, int m) {
      double* const x = r + m * rp + l;
      x[0] = (x[0] - lowest * x[-2 * rs] - elimination.lower * x[-rs]) * elimination.scale;
    };
    const double lower = lower_weight - convection * velocity[l - ps] - viscosity * inverse_density[l - ps];
    const double upper = upper_weight + convection * velocity[l + ps] - viscosity * inverse_density[l + ps];
    const double diagonal = diagonal_weight + 2.0 * viscosity * inverse_density[l];
    const double lower_sound = convection * sound[l - ps], upper_sound = convection * sound[l + ps];

    const Elimination flow = eliminate({lower, diagonal, upper}, 0);
    for (int m = 0; m < 3; ++m) update(flow, m);
    update(eliminate({lower - lower_sound, diagonal, upper + upper_sound}, 1), 3);
    update(eliminate({lower + lower_sound, diagonal, upper - upper_sound}, 2), 4);
  }
}

}  // namespace

void eliminate(const Lines& lines, Range rows, int begin, const Coefficients& coefficients) {
  for (int p = rows.begin; p < rows.end; ++p) {
    auto weights = cfd::fourth_difference(begin + p, coefficients.n);
    for (double& weight : weights) weight *= coefficients.dissipation;
    eliminate_position(lines, p, weights, coefficients);
  }
}

void substitute(const Lines& lines, Range rows) {
  const std::ptrdiff_t rs = lines.r_stride, rp = lines.r_pitch, fp = lines.factor_pitch, lanes = lines.lanes;
  for (int p = rows.end - 1; p >= rows.begin; --p) {
    double* const r = lines.r + p * rs;
    const double* const c = lines.factors + p * lines.factor_stride;
    NPB_INDEPENDENT
    for (std::ptrdiff_t l = 0; l < lanes; ++l)
      for (int m = 0; m < 5; ++m) {
        const double* const f = c + 2 * (m < 3 ? 0 : m - 2) * fp + l;
        double* const x = r + m * rp + l;
        x[0] -= f[0] * x[rs] + f[fp] * x[2 * rs];
      }
  }
}

}  // namespace npb::sp
