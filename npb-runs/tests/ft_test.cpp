// FT's transforms and layouts. The ranks are simulated, so that pencils can be tested with few of them. No MPI.

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "../common/problem.hpp"
#include "../common/random.hpp"
#include "../ft/layout.hpp"
#include "../ft/passes.hpp"

using namespace npb;
using ft::Complex;
using Array = std::vector<Complex>;

namespace {

Array random_points(std::size_t count) {
  Array points(count);
  Random random;
  for (Complex& point : points) {
    const double re = random.next();
    point = {re, random.next()};
  }
  return points;
}

// The forward transform's factor at the given phase, in periods.
Complex wave(double phase) { return std::polar(1.0, -2.0 * std::numbers::pi * phase); }

// A process grid with all its ranks' arrays.
struct Machine {
  Machine(ft::Extent extent, int rows, int columns) {
    for (int rank = 0; rank < rows * columns; ++rank) {
      grids.emplace_back(extent, rows, columns, rank);
      passes.emplace_back(grids.back());
      data.emplace_back(ft::points(grids.back().x_box()));
    }
  }

  // Every rank works on its array.
  template <class Work>
  void on_each(Work work) {
    for (std::size_t rank = 0; rank < data.size(); ++rank) {
      Array result(data[rank].size());
      work(passes[rank], data[rank].data(), result.data());
      data[rank] = result;
    }
  }

  // What MPI_Alltoall does among the ranks of each process column, or of each process row.
  void exchange(bool in_columns) {
    const int parts = in_columns ? grids[0].rows() : grids[0].columns();
    const auto part = static_cast<std::ptrdiff_t>(data[0].size() / parts);
    const auto before = data;
    for (std::size_t rank = 0; rank < data.size(); ++rank)
      for (int peer = 0; peer < parts; ++peer) {
        const ft::ProcessGrid& mine = grids[rank];
        const int from = in_columns ? peer * mine.columns() + mine.column() : mine.row() * mine.columns() + peer;
        const auto source = before[from].begin() + (in_columns ? mine.row() : mine.column()) * part;
        std::copy(source, source + part, data[rank].begin() + peer * part);
      }
  }

  void transform() {
    on_each([](ft::Passes& p, Complex* from, Complex* to) { p.x.forward(from, to, p.x.all_lines()); });
    exchange(true);
    on_each([](ft::Passes& p, Complex* from, Complex* to) { p.y.forward(from, to, p.y.all_lines()); });
    exchange(false);
    on_each([](ft::Passes& p, Complex* from, Complex* to) { p.z.forward(from, to, p.z.all_lines()); });
  }

  void transform_back() {
    on_each([](ft::Passes& p, Complex* from, Complex* to) { p.z.inverse(from, to, p.z.all_lines()); });
    exchange(false);
    on_each([](ft::Passes& p, Complex* from, Complex* to) { p.y.inverse(from, to, p.y.all_lines()); });
    exchange(true);
    on_each([](ft::Passes& p, Complex* from, Complex* to) { p.x.inverse(from, to, p.x.all_lines()); });
  }

  // The point (x, y, z) of the whole grid while x is complete.
  Complex& at(int x, int y, int z) {
    const ft::Extent box = grids[0].x_box();
    const std::size_t rank = (y / box.y) * grids[0].columns() + z / box.z;
    const ft::Placement place = ft::place(box);
    return data[rank][place.x[x] + place.y[y % box.y] + place.z[z % box.z]];
  }

  // The same while z is complete.
  Complex& coefficient(int x, int y, int z) {
    const ft::Extent box = grids[0].z_box();
    const std::size_t rank = (x / box.x) * grids[0].columns() + y / box.y;
    const ft::Placement place = ft::place(box);
    return data[rank][place.x[x % box.x] + place.y[y % box.y] + place.z[z]];
  }

  std::vector<ft::ProcessGrid> grids;
  std::vector<ft::Passes> passes;
  std::vector<Array> data;
};

template <class Work>
void for_each_point(ft::Extent extent, Work work) {
  for (int z = 0; z < extent.z; ++z)
    for (int y = 0; y < extent.y; ++y)
      for (int x = 0; x < extent.x; ++x) work(x, y, z, x + extent.x * (y + extent.y * z));
}

}  // namespace

TEST_CASE("FT: the transform of lines is the discrete Fourier transform, and its inverse undoes it", "[npb]") {
  constexpr int kLines = ft::LineFft::kLines;
  for (const int size : {1, 2, 4, 8, 16, 64, 128}) {
    const ft::LineFft fft(size);
    const Array lines = random_points(static_cast<std::size_t>(size) * kLines);
    std::vector<double> re, im;
    for (const Complex& point : lines) {
      re.push_back(point.real());
      im.push_back(point.imag());
    }
    fft.transform(re.data(), im.data());
    double error = 0;
    std::vector<double> re_back(re.size()), im_back(im.size());
    for (int l = 0; l < kLines; ++l)
      for (int k = 0; k < size; ++k) {
        Complex sum = 0;
        for (int j = 0; j < size; ++j) sum += lines[j * kLines + l] * wave(static_cast<double>(j * k % size) / size);
        const int slot = fft.slot(k) * kLines + l;
        error = std::max(error, std::abs(sum - Complex{re[slot], im[slot]}));
        re_back[k * kLines + l] = re[slot];
        im_back[k * kLines + l] = im[slot];
      }
    CHECK(error < 1e-13 * size);

    fft.transform(im_back.data(), re_back.data());
    error = 0;
    for (int l = 0; l < kLines; ++l)
      for (int k = 0; k < size; ++k) {
        const int slot = fft.slot(k) * kLines + l;
        const Complex point{re_back[slot] / size, im_back[slot] / size};
        error = std::max(error, std::abs(lines[k * kLines + l] - point));
      }
    CHECK(error < 1e-14);
  }
}

// The wider grid makes room for the wide groups of lines.
TEST_CASE("FT: slabs and pencils of every shape transform forth and back", "[npb]") {
  const ft::Extent extent = GENERATE(ft::Extent{16, 8, 4}, ft::Extent{64, 4, 8});
  const Array points = random_points(ft::points(extent));
  // One coefficient per axis mixes all points of the other two.
  const ft::Extent wave_numbers[] = {{0, 0, 0}, {1, 0, 0}, {0, 3, 0}, {0, 0, 1}, {15, 3, 3}, {5, 2, 2}};
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {2, 4}, {4, 1}, {4, 4}}) {
    INFO(extent.x << " in x, " << rows << " rows, " << columns << " columns");
    Machine machine(extent, rows, columns);
    for_each_point(extent, [&](int x, int y, int z, int g) { machine.at(x, y, z) = points[g]; });
    machine.transform();
    for (const ft::Extent& k : wave_numbers) {
      Complex sum = 0;
      for_each_point(extent, [&](int x, int y, int z, int g) {
        const double phase = 1.0 * x * k.x / extent.x + 1.0 * y * k.y / extent.y + 1.0 * z * k.z / extent.z;
        sum += points[g] * wave(phase);
      });
      CHECK(std::abs(machine.coefficient(k.x, k.y, k.z) - sum) < 1e-10);
    }
    machine.transform_back();
    const auto count = static_cast<double>(points.size());
    double error = 0;
    for_each_point(extent, [&](int x, int y, int z, int g) {
      error = std::max(error, std::abs(machine.at(x, y, z) / count - points[g]));
    });
    CHECK(error < 1e-14);
  }
}

TEST_CASE("FT: a plane's x pass may work in place, and its lines are those of the plane", "[npb]") {
  const ft::Extent extent{16, 8, 4};
  const ft::ProcessGrid grid(extent, 1, 1, 0);
  ft::Passes passes(grid);
  const Array points = random_points(ft::points(extent));
  Array whole(points.size()), plane = points;
  passes.x.forward(points.data(), whole.data(), passes.x.all_lines());
  passes.x.forward(plane.data(), plane.data(), {8, 16});
  for (std::size_t i = 0; i < points.size(); ++i) REQUIRE(plane[i] == (i / 128 == 1 ? whole[i] : points[i]));
}

TEST_CASE("FT: slabs up to the number of planes, then pencils", "[npb]") {
  const ft::Extent grid = find_problem(ft::kProblems, 'W')->grid;
  const auto slabs = ft::ProcessGrid::try_create(grid, 32, 5);
  REQUIRE(slabs);
  CHECK(slabs->has_slabs());
  CHECK(slabs->columns() == 32);
  CHECK(slabs->column() == 5);
  const auto pencils = ft::ProcessGrid::try_create(grid, 64, 5);
  REQUIRE(pencils);
  CHECK(pencils->rows() == 32);
  CHECK(pencils->columns() == 2);
  CHECK(pencils->row() == 2);
  CHECK(pencils->column() == 1);
  CHECK(ft::points(pencils->x_box()) == ft::points(grid) / 64);
  CHECK(ft::points(pencils->z_box()) == ft::points(grid) / 64);
  CHECK(ft::ProcessGrid::try_create(grid, ft::most_ranks(grid), 0));
  for (const int ranks : {-1, 0, 3, 12, 2 * ft::most_ranks(grid)})
    CHECK_FALSE(ft::ProcessGrid::try_create(grid, ranks, 0));
}
