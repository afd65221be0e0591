#include "exact_solution.hpp"

namespace npb::cfd {
namespace {

constexpr int kDegree = 4;

struct Polynomial {
  double constant;
  double power[kDegree][3];  // of the first to fourth power: the coefficients of xi, eta, zeta
};

constexpr Polynomial kSolution[kComponents] = {
    {2.0, {{0.0, 0.0, 4.0}, {5.0, 3.0, 0.5}, {0.02, 0.01, 0.03}, {0.5, 0.4, 0.3}}},
    {1.0, {{0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}, {0.01, 0.03, 0.02}, {0.4, 0.3, 0.5}}},
    {2.0, {{2.0, 0.0, 0.0}, {0.0, 2.0, 3.0}, {0.04, 0.03, 0.05}, {0.3, 0.5, 0.4}}},
    {2.0, {{2.0, 0.0, 0.0}, {0.0, 2.0, 3.0}, {0.03, 0.05, 0.04}, {0.2, 0.1, 0.3}}},
    {5.0, {{4.0, 3.0, 2.0}, {0.1, 0.4, 0.3}, {0.05, 0.04, 0.03}, {0.1, 0.3, 0.2}}},
};

// The contribution of one coordinate, by Horner's rule.
double along(const Polynomial& polynomial, int direction, double x) {
  double sum = 0;
  for (int degree = kDegree - 1; degree >= 0; --degree) sum = x * (polynomial.power[degree][direction] + sum);
  return sum;
}

// Between the values at 0 and at 1.
double interpolate(double x, double at_0, double at_1) { return (1.0 - x) * at_0 + x * at_1; }

bool is_on_face(double x) { return x <= 0.0 || x >= 1.0; }

}  // namespace

State exact_solution(double xi, double eta, double zeta) {
  State u{};
  for (int m = 0; m < kComponents; ++m)
    u[m] =
        kSolution[m].constant + along(kSolution[m], 0, xi) + along(kSolution[m], 1, eta) + along(kSolution[m], 2, zeta);
  return u;
}

State initial_value(double xi, double eta, double zeta) {
  if (is_on_face(xi) || is_on_face(eta) || is_on_face(zeta)) return exact_solution(xi, eta, zeta);
  const State x0 = exact_solution(0, eta, zeta), x1 = exact_solution(1, eta, zeta);
  const State y0 = exact_solution(xi, 0, zeta), y1 = exact_solution(xi, 1, zeta);
  const State z0 = exact_solution(xi, eta, 0), z1 = exact_solution(xi, eta, 1);
  State u{};
  for (int m = 0; m < kComponents; ++m) {
    const double x = interpolate(xi, x0[m], x1[m]);
    const double y = interpolate(eta, y0[m], y1[m]);
    const double z = interpolate(zeta, z0[m], z1[m]);
    u[m] = x + y + z - x * y - y * z - z * x + x * y * z;
  }
  return u;
}

}  // namespace npb::cfd
