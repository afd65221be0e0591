// Constants of the system of equations that LU, SP and BT integrate (NAS-91-002, 3.3): a model of the compressible
// Navier-Stokes equations on the unit cube with n points per direction, x, y and z alike.
//
// Components are numbered 0 .. 4 here: density, three momenta, energy. Direction d = 0, 1, 2 is x, y, z; the
// momentum normal to it is component d + 1.
#pragma once

#include <array>

namespace npb::cfd {

inline constexpr int kComponents = 5;
using State = std::array<double, kComponents>;  // the solution, or anything of its shape, at one point

inline constexpr double kC1 = 1.4;
inline constexpr double kC2 = 0.4;
inline constexpr double kC3 = 0.1;
inline constexpr double kC4 = 1.0;
inline constexpr double kC5 = 1.4;
inline constexpr double kC34 = kC3 * kC4;
inline constexpr double kC15 = kC1 * kC5;
inline constexpr double kC1345 = kC1 * kC3 * kC4 * kC5;

// Of second differences, per direction; the same for all components.
inline constexpr double kDissipation2[3] = {0.75, 0.75, 1.0};
// Of fourth differences: a quarter of the largest of the above.
inline constexpr double kDissipation4 = 0.25;

// The factors of differences on n points.
struct Spacing {
  explicit constexpr Spacing(int n)
      : h(1.0 / (n - 1)), t1((n - 1.0) * (n - 1.0)), t2((n - 1.0) / 2.0), t3(n - 1.0), viscous(kC34 * t3 * t3) {}

  double h;
  double t1;       // 1 / h^2
  double t2;       // 1 / (2 h)
  double t3;       // 1 / h
  double viscous;  // c3 c4 t3^2, what the second differences of velocities are multiplied with
};

}  // namespace npb::cfd
