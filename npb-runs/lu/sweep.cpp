// The 5x5 blocks are never formed. A product of one of them with a vector needs fewer operations than its elements
// do, once it is written in terms of velocity and pressure, and D is solved in closed form.
#include "sweep.hpp"

namespace npb::lu {
namespace {

using namespace cfd;

// Sum over the directions of the coefficients of the viscous Jacobians, the same for all three momenta: one of the
// directions is the normal one, with 4/3 instead of 1.
constexpr double kMomentum = kC34 * (2.0 + 4.0 / 3.0);
constexpr double kEnergy = kC1345 * 3.0;

struct Point {
  double density, x, y, z, energy;
};

template <int s>
inline Point load(const double* v) {
  return {v[0], v[s], v[2 * s], v[3 * s], v[4 * s]};
}

// Adds the product of a block of direction kDirection, made from the flow u at a neighbour, with v there.
//
// With velocity s normal to the direction, H = c1 u5/u1 - c2 kinetic, q = momentum of v - velocity * density of v,
// g = q's normal part and p = c2 (v5 - kinetic v1 - velocity.q), the convective Jacobian gives
//   (v_normal, s v_m + velocity_m g (+ p if m is normal), s ((c1 - c2) v5 + p) + H g).
template <int kDirection, int s>
inline void add_product(Point& sum, const double* u, const double* v, const Sweep::Factors& factors) {
  const double reciprocal = u[kReciprocalDensity * s];
  const double kinetic = u[kKinetic * s];
  const double x = u[s] * reciprocal, y = u[2 * s] * reciprocal, z = u[3 * s] * reciprocal;
  const double energy = u[4 * s] * reciprocal;
  const Point a = load<s>(v);
  const double qx = a.x - x * a.density, qy = a.y - y * a.density, qz = a.z - z * a.density;
  const double normal = kDirection == 0 ? x : kDirection == 1 ? y : z;
  const double g = kDirection == 0 ? qx : kDirection == 1 ? qy : qz;
  const double work = x * qx + y * qy + z * qz;
  const double p = kC2 * (a.energy - kinetic * a.density - work);

  const double c = factors.convective;
  const double e = factors.dissipation[kDirection];
  const double r = factors.viscous * reciprocal;
  const double cs = c * normal, cg = c * g, rm = r * kC34;
  sum.density += c * (kDirection == 0 ? a.x : kDirection == 1 ? a.y : a.z) + e * a.density;
  sum.x += (cs + e) * a.x + cg * x + rm * qx;
  sum.y += (cs + e) * a.y + cg * y + rm * qy;
  sum.z += (cs + e) * a.z + cg * z + rm * qz;
  const double more = c * p + rm * (1.0 / 3.0) * g;
  (kDirection == 0 ? sum.x : kDirection == 1 ? sum.y : sum.z) += more;
  sum.energy += cs * ((kC1 - kC2) * a.energy + p) + cg * (kC1 * energy - kC2 * kinetic) + e * a.energy +
                r * ((kC34 - kC1345) * work + (kC34 / 3.0) * normal * g + kC1345 * (a.energy - energy * a.density));
}

// D^-1 a, where D belongs to the flow u at the point.
template <int s>
inline Point solve(const Point& a, const double* u, const Sweep::Factors& factors) {
  const double reciprocal = u[kReciprocalDensity * s];
  const double b = factors.diagonal_viscous * reciprocal;
  const double momentum = b * kMomentum, energy = b * kEnergy;
  const double scale = 1.0 / (factors.diagonal + momentum);
  Point w;
  w.density = a.density * (1.0 / factors.diagonal);
  const double r = reciprocal * w.density;
  const double x = u[s], y = u[2 * s], z = u[3 * s];
  w.x = (a.x + momentum * (x * r)) * scale;
  w.y = (a.y + momentum * (y * r)) * scale;
  w.z = (a.z + momentum * (z * r)) * scale;
  const double work = 2.0 * u[kKinetic * s] * w.density - reciprocal * (x * w.x + y * w.y + z * w.z);
  w.energy = (a.energy + (momentum - energy) * work + energy * (u[4 * s] * r)) / (factors.diagonal + energy);
  return w;
}

template <int s>
inline void store(double* v, const Point& a) {
  v[0] = a.density;
  v[s] = a.x;
  v[2 * s] = a.y;
  v[3 * s] = a.z;
  v[4 * s] = a.energy;
}

// The distances to the neighbours that a sweep depends on.
struct Steps {
  template <typename Values>
  Steps(const Values& field, bool is_lower)
      : x(is_lower ? -field.step(0) : field.step(0)),
        y(is_lower ? -field.step(1) : field.step(1)),
        z(is_lower ? -field.step(2) : field.step(2)) {}

  std::ptrdiff_t x, y, z;
};

// `count` points next to each other, on a diagonal.
template <bool kIsLower, int s>
void sweep_diagonal(const double* u, const Steps& to_u, double* v, const Steps& to_v, int count,
                    const Sweep::Factors& given) {
  const Sweep::Factors factors = given;
  const double *ux = u + to_u.x, *uy = u + to_u.y, *uz = u + to_u.z;
  const double *vx = v + to_v.x, *vy = v + to_v.y, *vz = v + to_v.z;
  NPB_INDEPENDENT_ITERATIONS
  for (int p = 0; p < count; ++p) {
    Point sum = {0, 0, 0, 0, 0};
    add_product<0, s>(sum, ux + p, vx + p, factors);
    add_product<1, s>(sum, uy + p, vy + p, factors);
    add_product<2, s>(sum, uz + p, vz + p, factors);
    const Point a = load<s>(v + p);
    if (kIsLower) {
      const double dt = factors.dt;
      sum = {sum.density + dt * a.density, sum.x + dt * a.x, sum.y + dt * a.y, sum.z + dt * a.z,
             sum.energy + dt * a.energy};
      store<s>(v + p, solve<s>(sum, u + p, factors));
    } else {
      const Point w = solve<s>(sum, u + p, factors);
      store<s>(v + p, {a.density + w.density, a.x + w.x, a.y + w.y, a.z + w.z, a.energy + w.energy});
    }
  }
}

Sweep::Factors make_factors(int n, double dt, double omega, int sign) {
  const Spacing spacing(n);
  Sweep::Factors factors{};
  factors.convective = sign * omega * dt * spacing.t2;
  factors.viscous = omega * dt * spacing.t1;
  factors.diagonal = 1.0;
  for (int direction = 0; direction < 3; ++direction) {
    factors.dissipation[direction] = omega * dt * spacing.t1 * kDissipation2[direction];
    factors.diagonal += 2.0 * dt * spacing.t1 * kDissipation2[direction];
  }
  factors.diagonal_viscous = 2.0 * dt * spacing.t1;
  factors.dt = dt;
  return factors;
}

}  // namespace

Sweep::Sweep(const Extent& extent, int n, double dt, double omega)
    : extent_(extent), lower_(make_factors(n, dt, omega, 1)), upper_(make_factors(n, dt, omega, -1)) {}

void Sweep::lower(const Flow& u, Vectors& v, int k) const { run<true>(u, v, k, lower_); }

void Sweep::upper(const Flow& u, Vectors& v, int k) const { run<false>(u, v, k, upper_); }

// One diagonal after the other, away from where the sweep comes from.
template <bool kIsLower>
void Sweep::run(const Flow& u, Vectors& v, int k, const Factors& factors) const {
  const Steps to_u(u, kIsLower), to_v(v, kIsLower);
  const Range diagonals = extent_.interior_diagonals();
  constexpr int ahead = kIsLower ? 2 : -2;  // diagonals; the ghost layers are as many, so there always is one
  with_length(extent_.length(), [&](auto length) {
    for (int n = 0; n < diagonals.size(); ++n) {
      const int d = kIsLower ? diagonals.begin + n : diagonals.end - 1 - n;
      const Range i = extent_.on_diagonal(d);
      const int j = d - i.begin;
      prefetch<kFlowComponents, length>(u.at(i.begin, j + ahead, k), i.size());
      prefetch<kComponents, length>(v.at(i.begin, j + ahead, k), i.size());
      sweep_diagonal<kIsLower, length>(u.at(i.begin, j, k), to_u, v.at(i.begin, j, k), to_v, i.size(), factors);
    }
  });
}

}  // namespace npb::lu
