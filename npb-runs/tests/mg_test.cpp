// Facts about MG's decomposition, right-hand side and operators. No MPI.

#include <catch2/catch.hpp>

#include <set>
#include <vector>

#include "../common/problem.hpp"
#include "../mg/charges.hpp"
#include "../mg/operators.hpp"
#include "../mg/process_grid.hpp"

using namespace npb;

namespace {

std::vector<mg::LevelPart> parts_of(int points, int level_points, int ranks) {
  std::vector<mg::LevelPart> parts;
  for (int rank = 0; rank < ranks; ++rank)
    parts.push_back(mg::ProcessGrid::try_create(points, ranks, rank)->part(level_points));
  return parts;
}

std::set<mg::Point> points_of(const std::vector<mg::Candidate>& candidates) {
  std::set<mg::Point> points;
  for (const auto& candidate : candidates) points.insert(candidate.point);
  return points;
}

// Sets every point, ghosts included, to f(i, j, k).
template <class Function>
void fill(mg::Field& field, const Function& f) {
  for (int k = 0; k <= field.extent(mg::kZ) + 1; ++k)
    for (int j = 0; j <= field.extent(mg::kY) + 1; ++j)
      for (int i = 0; i <= field.extent(mg::kX) + 1; ++i) field.row(j, k)[i] = f(i, j, k);
}

// A function with values of its own at every point, which no interchange of axes leaves as it is.
double some_value(int i, int j, int k) { return 1.0 / (1 + i + 3 * j + 11 * k + i * j * k); }

// The operator applied by its definition.
double apply(const mg::Stencil& stencil, const mg::Field& field, int i, int j, int k) {
  const double coefficient[] = {stencil.centre, stencil.face, stencil.edge, stencil.corner};
  double sum = 0;
  for (int dk = -1; dk <= 1; ++dk)
    for (int dj = -1; dj <= 1; ++dj)
      for (int di = -1; di <= 1; ++di)
        sum += coefficient[di * di + dj * dj + dk * dk] * field.row(j + dj, k + dk)[i + di];
  return sum;
}

}  // namespace

TEST_CASE("MG: the shape of the process grid", "[npb]") {
  struct Row {
    int ranks, x, y, z;
  };
  for (const Row& row : {Row{1, 1, 1, 1}, {2, 1, 1, 2}, {4, 1, 2, 2}, {8, 2, 2, 2}, {16, 2, 2, 4}, {32, 2, 4, 4}}) {
    const auto grid = mg::ProcessGrid::try_create(32, row.ranks, 0);
    REQUIRE(grid);
    CHECK(grid->processes(mg::kX) == row.x);
    CHECK(grid->processes(mg::kY) == row.y);
    CHECK(grid->processes(mg::kZ) == row.z);
  }
  for (const int ranks : {-1, 0, 3, 6, 12}) CHECK_FALSE(mg::ProcessGrid::try_create(32, ranks, 0));
  CHECK(mg::ProcessGrid::try_create(32, 4096, 0));
  CHECK_FALSE(mg::ProcessGrid::try_create(32, 8192, 0));
}

TEST_CASE("MG: the parts of a level cover it once", "[npb]") {
  for (const int ranks : {1, 2, 4, 8, 16, 128})
    for (int points = 2; points <= 32; points *= 2) {
      int owned = 0;
      for (const auto& part : parts_of(32, points, ranks)) {
        const auto extent = part.extent();
        owned += extent[mg::kX] * extent[mg::kY] * extent[mg::kZ];
      }
      CHECK(owned == points * points * points);
    }
}

TEST_CASE("MG: active ranks have active neighbours, which own the next points", "[npb]") {
  for (const int ranks : {1, 2, 4, 8, 16, 64, 128})
    for (int points = 2; points <= 32; points *= 2) {
      const auto parts = parts_of(32, points, ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        if (!parts[rank].is_active()) continue;
        for (const mg::Axis axis : mg::kAxes) {
          const mg::LevelPart& after = parts[parts[rank].after[axis]];
          CHECK(after.is_active());
          CHECK(after.before[axis] == rank);
          CHECK(after.owned[axis].begin == parts[rank].owned[axis].end % points);
        }
      }
    }
}

TEST_CASE("MG: on 16 ranks every second rank in z is active on the coarsest level", "[npb]") {
  const auto parts = parts_of(32, 2, 16);
  for (int rank = 0; rank < 16; ++rank) CHECK(parts[rank].is_active() == (rank / 4 % 2 == 1));
  CHECK(parts[4].after[mg::kZ] == 12);
}

TEST_CASE("MG: the charges of class S", "[npb]") {
  const auto extremes = mg::find_extremes(32, {Range{0, 32}, Range{0, 32}, Range{0, 32}});
  CHECK(points_of(extremes.largest) == std::set<mg::Point>{{7, 1, 20},
                                                           {19, 29, 31},
                                                           {2, 0, 3},
                                                           {4, 22, 3},
                                                           {1, 16, 21},
                                                           {21, 31, 6},
                                                           {12, 15, 12},
                                                           {30, 4, 25},
                                                           {28, 0, 28},
                                                           {17, 26, 17}});
  CHECK(points_of(extremes.smallest) == std::set<mg::Point>{{0, 11, 2},
                                                            {13, 8, 17},
                                                            {5, 14, 0},
                                                            {4, 28, 15},
                                                            {12, 2, 1},
                                                            {5, 17, 8},
                                                            {20, 19, 11},
                                                            {26, 15, 31},
                                                            {8, 25, 22},
                                                            {7, 14, 26}});
}

TEST_CASE("MG: the most extreme charges of class W, found by parts", "[npb]") {
  mg::Candidate largest{0.0, {}};
  mg::Candidate smallest{1.0, {}};
  for (const auto& part : parts_of(128, 128, 8)) {
    const auto extremes = mg::find_extremes(128, part.owned);
    REQUIRE(extremes.largest.size() == std::size_t{mg::kCharges});
    if (extremes.largest.front().number > largest.number) largest = extremes.largest.front();
    if (extremes.smallest.front().number < smallest.number) smallest = extremes.smallest.front();
  }
  CHECK(largest.point == mg::Point{113, 85, 50});
  CHECK(smallest.point == mg::Point{15, 22, 123});
}

TEST_CASE("MG: a block of few points has few candidates", "[npb]") {
  const auto extremes = mg::find_extremes(32, {Range{4, 6}, Range{0, 2}, Range{30, 32}});
  CHECK(extremes.largest.size() == 8u);
  CHECK(extremes.smallest.size() == 8u);
}

TEST_CASE("MG: residual and smoothing do what their stencils say", "[npb]") {
  const std::array<int, 3> extent{13, 4, 3};
  mg::Field u(extent), v(extent), r(extent), in_place(extent);
  fill(u, some_value);
  fill(v, [](int i, int j, int k) { return i - j + 2.0 * k; });
  in_place = v;
  mg::residual(u, v, r);
  mg::subtract_laplacian(u, in_place);
  mg::Field smoothed = v;
  const mg::Stencil& smoother = find_problem(mg::kProblems, 'B')->smoother;
  mg::smooth(smoother, u, smoothed);
  for (int k = 1; k <= 3; ++k)
    for (int j = 1; j <= 4; ++j)
      for (int i = 1; i <= 13; ++i) {
        const double before = v.row(j, k)[i];
        CHECK(r.row(j, k)[i] == Approx(before - apply(mg::kLaplacian, u, i, j, k)).margin(1e-14));
        CHECK(in_place.row(j, k)[i] == Approx(r.row(j, k)[i]).margin(1e-14));
        CHECK(smoothed.row(j, k)[i] == Approx(before + apply(smoother, u, i, j, k)).margin(1e-14));
      }
}

TEST_CASE("MG: restriction weighs the fine points around each coarse point", "[npb]") {
  const mg::Stencil weights{1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};
  // One point per rank on both levels in no, one, or all directions.
  for (const std::array<int, 3> fine_extent : {std::array{8, 6, 4}, {8, 4, 1}, {1, 1, 1}}) {
    std::array<int, 3> coarse_extent;
    for (const mg::Axis axis : mg::kAxes) coarse_extent[axis] = (fine_extent[axis] + 1) / 2;
    mg::Field fine(fine_extent), coarse(coarse_extent);
    fill(fine, some_value);
    mg::restrict_to(coarse, fine);
    const auto on_fine = [&](mg::Axis axis, int at) { return fine_extent[axis] == 1 ? at : 2 * at; };
    for (int k = 1; k <= coarse_extent[mg::kZ]; ++k)
      for (int j = 1; j <= coarse_extent[mg::kY]; ++j)
        for (int i = 1; i <= coarse_extent[mg::kX]; ++i)
          CHECK(coarse.row(j, k)[i] ==
                Approx(apply(weights, fine, on_fine(mg::kX, i), on_fine(mg::kY, j), on_fine(mg::kZ, k))));
  }
}

TEST_CASE("MG: interpolation keeps what is linear, on ghosts too", "[npb]") {
  for (const std::array<int, 3> fine_extent : {std::array{8, 6, 4}, {8, 4, 1}, {1, 1, 1}}) {
    std::array<int, 3> coarse_extent;
    for (const mg::Axis axis : mg::kAxes) coarse_extent[axis] = (fine_extent[axis] + 1) / 2;
    mg::Field fine(fine_extent), coarse(coarse_extent);
    fill(coarse, [](int i, int j, int k) { return 1.0 + i + 10.0 * j + 100.0 * k + i * j * k; });
    mg::interpolate(coarse, fine);
    const auto on_coarse = [&](mg::Axis axis, int at) { return 0.5 * (fine_extent[axis] == 1 ? at + 1 : at); };
    for (int k = 0; k <= fine_extent[mg::kZ] + 1; ++k)
      for (int j = 0; j <= fine_extent[mg::kY] + 1; ++j)
        for (int i = 0; i <= fine_extent[mg::kX] + 1; ++i) {
          const double x = on_coarse(mg::kX, i), y = on_coarse(mg::kY, j), z = on_coarse(mg::kZ, k);
          CHECK(fine.row(j, k)[i] == Approx(1.0 + x + 10.0 * y + 100.0 * z + x * y * z));
        }
  }
}

TEST_CASE("MG: the sweep that corrects and takes the residual does both", "[npb]") {
  const std::array<int, 3> extent{8, 6, 4};
  mg::Field coarse({4, 3, 2}), correction(extent), u(extent), v(extent), r(extent);
  fill(coarse, some_value);
  fill(u, [](int i, int j, int k) { return 0.25 * i - j * k; });
  fill(v, [](int i, int j, int k) { return 2.0 * k + i - j; });
  mg::Field expected_u = u;
  mg::Field expected_r(extent);
  mg::interpolate(coarse, correction);
  for (int k = 0; k <= 5; ++k)
    for (int j = 0; j <= 7; ++j)
      for (int i = 0; i <= 9; ++i) expected_u.row(j, k)[i] += correction.row(j, k)[i];
  mg::residual(expected_u, v, expected_r);
  mg::correct_and_residual(coarse, u, v, r);
  for (int k = 0; k <= 5; ++k)
    for (int j = 0; j <= 7; ++j)
      for (int i = 0; i <= 9; ++i) {
        CHECK(u.row(j, k)[i] == Approx(expected_u.row(j, k)[i]).margin(1e-14));
        CHECK(r.row(j, k)[i] == Approx(expected_r.row(j, k)[i]).margin(1e-12));
      }
}

TEST_CASE("MG: norms count own points only", "[npb]") {
  mg::Field r({11, 2, 3});
  fill(r, [](int i, int j, int k) { return i == 0 || i == 12 || j == 0 || j == 3 || k == 0 || k == 4 ? 1e3 : -2.0; });
  r.row(1, 2)[3] = -5.0;
  const mg::Norms norms = mg::measure(r);
  CHECK(norms.sum_of_squares == 4.0 * 65 + 25.0);
  CHECK(norms.largest == 5.0);
}
