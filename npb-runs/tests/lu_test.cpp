// The decomposition of LU, its spatial operator and its sweeps, against the published formulas. No MPI.

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#include "../cfd/exact_solution.hpp"
#include "../common/random.hpp"
#include "../lu/process_grid.hpp"
#include "../lu/residual.hpp"
#include "../lu/sweep.hpp"

using namespace npb;
using cfd::kComponents;
using cfd::State;
using lu::Side;

namespace {

lu::Extent whole_grid(int n) { return {.nx = n, .ny = n, .nz = n, .x = {1, n - 1}, .y = {1, n - 1}, .z = {1, n - 1}}; }

template <typename Values>
State get(const Values& field, int i, int j, int k) {
  State state{};
  for (int m = 0; m < kComponents; ++m) state[m] = field.at(i, j, k)[m * field.component()];
  return state;
}

template <typename Values>
void put(Values& field, int i, int j, int k, const State& state) {
  for (int m = 0; m < kComponents; ++m) field.at(i, j, k)[m * field.component()] = state[m];
}

using Profile = State (*)(double, double, double);

lu::Flow make_flow(int n, Profile profile) {
  lu::Flow u(whole_grid(n));
  lu::for_each_point({0, n}, {0, n}, {0, n}, [&](int i, int j, int k) {
    put(u, i, j, k, profile(cfd::coordinate(i, n), cfd::coordinate(j, n), cfd::coordinate(k, n)));
    lu::derive(u.at(i, j, k), u.component(), 1);
  });
  return u;
}

lu::Vectors apply_operator(int n, const lu::Flow& u, const lu::Vectors& forcing) {
  lu::Vectors result(whole_grid(n));
  lu::SpatialOperator(whole_grid(n), n, 0, 0).apply(u, forcing, result);
  return result;
}

// c A + e I + v N for direction d, from the entries of the published Jacobians A (convective) and N (viscous).
struct Block {
  double entry[kComponents][kComponents] = {};

  Block(int d, const State& u, double c, double v, double e) {
    using namespace cfd;
    const int n = d + 1;
    const double s = u[n] / u[0], kinetic = (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / (2 * u[0] * u[0]);
    entry[0][n] += c;
    for (int m = 1; m < 4; ++m) {
      if (m == n) continue;
      entry[m][0] += c * (-u[m] * u[n] / (u[0] * u[0]));
      entry[m][m] += c * s;
      entry[m][n] += c * u[m] / u[0];
      entry[n][m] += c * -kC2 * u[m] / u[0];
      entry[4][m] += c * (-kC2 * u[m] * u[n] / (u[0] * u[0]));
    }
    entry[n][0] += c * (-s * s + kC2 * kinetic);
    entry[n][n] += c * (2 - kC2) * s;
    entry[n][4] += c * kC2;
    entry[4][0] += c * (2 * kC2 * kinetic - kC1 * u[4] / u[0]) * s;
    entry[4][n] += c * (kC1 * u[4] / u[0] - kC2 * (kinetic + s * s));
    entry[4][4] += c * kC1 * s;
    for (int m = 1; m < 4; ++m) {
      const double mu = m == n ? 4.0 / 3.0 * kC34 : kC34;
      entry[m][0] -= v * mu * u[m] / (u[0] * u[0]);
      entry[m][m] += v * mu / u[0];
      entry[4][0] -= v * (mu - kC1345) * u[m] * u[m] / (u[0] * u[0] * u[0]);
      entry[4][m] += v * (mu - kC1345) * u[m] / (u[0] * u[0]);
    }
    entry[4][0] -= v * kC1345 * u[4] / (u[0] * u[0]);
    entry[4][4] += v * kC1345 / u[0];
    for (int m = 0; m < kComponents; ++m) entry[m][m] += e;
  }

  void add_product(const State& v, State& sum) const {
    for (int row = 0; row < kComponents; ++row)
      for (int column = 0; column < kComponents; ++column) sum[row] += entry[row][column] * v[column];
  }
};

// omega times the sum of the products with the neighbours at distance `side` (-1: lower blocks, 1: upper ones).
State products(const lu::Flow& u, const lu::Vectors& v, int i, int j, int k, int side, int n, double dt, double omega) {
  const cfd::Spacing spacing(n);
  State sum{};
  for (int d = 0; d < 3; ++d) {
    const int a = i + (d == 0 ? side : 0), b = j + (d == 1 ? side : 0), c = k + (d == 2 ? side : 0);
    const Block block(d, get(u, a, b, c), side * omega * dt * spacing.t2, -omega * dt * spacing.t1,
                      -omega * dt * spacing.t1 * cfd::kDissipation2[d]);
    block.add_product(get(v, a, b, c), sum);
  }
  return sum;
}

// D v
State diagonal_product(const State& u, const State& v, int n, double dt) {
  const cfd::Spacing spacing(n);
  State sum = v;
  for (int d = 0; d < 3; ++d)
    Block(d, u, 0, 2 * dt * spacing.t1, 2 * dt * spacing.t1 * cfd::kDissipation2[d]).add_product(v, sum);
  return sum;
}

lu::Vectors random_vectors(int n) {
  lu::Vectors v(whole_grid(n));
  Random random;
  lu::for_each_point({1, n - 1}, {1, n - 1}, {1, n - 1}, [&](int i, int j, int k) {
    State state{};
    for (double& value : state) value = random.next() - 0.5;
    put(v, i, j, k, state);
  });
  return v;
}

}  // namespace

TEST_CASE("LU: which numbers of ranks make a grid", "[npb]") {
  std::vector<int> allowed;
  for (int ranks = -1; ranks <= 40; ++ranks)
    if (lu::ProcessGrid::try_create(64, ranks, 0)) allowed.push_back(ranks);
  CHECK(allowed == std::vector<int>{1, 2, 4, 6, 8, 9, 12, 15, 16, 18, 20, 24, 25, 28, 30, 32, 35, 36, 40});
  CHECK(lu::ProcessGrid::try_create(12, 16, 0));
  CHECK_FALSE(lu::ProcessGrid::try_create(12, 20, 0));  // parts of two points
}

TEST_CASE("LU: neighbours know each other and the parts make up the grid", "[npb]") {
  for (const int ranks : {1, 2, 4, 6, 8, 9, 12, 15, 16}) {
    int points = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto grid = lu::ProcessGrid::try_create(33, ranks, rank);
      REQUIRE(grid);
      points += grid->x_part().size() * grid->y_part().size();
      for (const Side side : {Side::kNorth, Side::kSouth, Side::kEast, Side::kWest}) {
        if (!grid->has_neighbour(side)) continue;
        const auto other = lu::ProcessGrid::try_create(33, ranks, grid->neighbour(side));
        REQUIRE(other);
        CHECK(other->neighbour(lu::opposite(side)) == rank);
      }
      if (grid->has_neighbour(Side::kSouth))
        CHECK(lu::ProcessGrid::try_create(33, ranks, rank + 1)->x_part().begin == grid->x_part().end);
    }
    CHECK(points == 33 * 33);
  }
}

TEST_CASE("LU: no two points share a place in a field", "[npb]") {
  const lu::Extent extent{.nx = 4, .ny = 7, .nz = 3, .x = {0, 4}, .y = {0, 7}, .z = {1, 2}};
  lu::Vectors field(extent);
  double next = 0;
  lu::for_each_point({-2, 6}, {-2, 9}, {-1, 4}, [&](int i, int j, int k) {
    put(field, i, j, k, {next, next + 1, next + 2, next + 3, next + 4});
    next += kComponents;
  });
  double expected = 0;
  lu::for_each_point({-2, 6}, {-2, 9}, {-1, 4}, [&](int i, int j, int k) {
    if (get(field, i, j, k) != State{expected, expected + 1, expected + 2, expected + 3, expected + 4})
      FAIL("overwritten at " << i << ", " << j << ", " << k);
    expected += kComponents;
  });
}

TEST_CASE("LU: the residual of the initial values", "[npb]") {
  constexpr int n = 12;
  const State published{6.7877440849324e+04, 6.8656671466445e+03, 1.7373916450581e+04, 1.4653216460274e+04,
                        9.7682415991639e+04};
  const lu::Vectors zero(whole_grid(n));
  const lu::Vectors exact = apply_operator(n, make_flow(n, cfd::exact_solution), zero);
  const lu::Vectors initial = apply_operator(n, make_flow(n, cfd::initial_value), zero);
  State squares{};
  lu::for_each_point({1, n - 1}, {1, n - 1}, {1, n - 1}, [&](int i, int j, int k) {
    const State a = get(initial, i, j, k), b = get(exact, i, j, k);
    for (int m = 0; m < kComponents; ++m) squares[m] += (a[m] - b[m]) * (a[m] - b[m]);
  });
  for (int m = 0; m < kComponents; ++m)
    CHECK(std::sqrt(squares[m] / std::pow(n - 2, 3)) == Approx(published[m]).epsilon(1e-12));
}

TEST_CASE("LU: the sweeps solve with the published blocks", "[npb]") {
  constexpr int n = 7;
  constexpr double dt = 0.5, omega = 1.2;
  const lu::Flow u = make_flow(n, cfd::initial_value);
  const lu::Sweep sweep(whole_grid(n), n, dt, omega);
  const lu::Vectors given = random_vectors(n);
  lu::Vectors lower = given;
  for (int k = 1; k < n - 1; ++k) sweep.lower(u, lower, k);
  lu::Vectors upper = lower;
  for (int k = n - 2; k > 0; --k) sweep.upper(u, upper, k);

  lu::for_each_point({1, n - 1}, {1, n - 1}, {1, n - 1}, [&](int i, int j, int k) {
    const State flow = get(u, i, j, k), before = get(given, i, j, k), low = get(lower, i, j, k),
                up = get(upper, i, j, k);
    const State low_side = diagonal_product(flow, low, n, dt);
    const State low_products = products(u, lower, i, j, k, -1, n, dt, omega);
    State correction{};
    for (int m = 0; m < kComponents; ++m) correction[m] = low[m] - up[m];
    const State up_side = diagonal_product(flow, correction, n, dt);
    const State up_products = products(u, upper, i, j, k, 1, n, dt, omega);
    for (int m = 0; m < kComponents; ++m) {
      CHECK(low_side[m] + low_products[m] == Approx(dt * before[m]).margin(1e-12));
      CHECK(up_side[m] == Approx(up_products[m]).margin(1e-12));
    }
  });
}
