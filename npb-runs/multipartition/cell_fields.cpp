#include "cell_fields.hpp"

#include <algorithm>

#include "../cfd/exact_solution.hpp"

namespace npb::multipartition {
namespace {

double coordinate_at(const CellData& cell, Axis axis, int local, int n) {
  return cfd::coordinate(cell.place.points[axis].begin + local, n);
}

// Local points up to `margin` beyond a cell, as far as they are in the grid.
Range extended(const CellData& cell, Axis axis, int margin, int n) {
  const Range points = cell.place.points[axis];
  return {std::max(-margin, -points.begin), std::min(points.size() + margin, n - points.begin)};
}

// Sets the solution to function(xi, eta, zeta) in a cell and `margin` layers around it.
template <class Function>
void set_solution(CellData& cell, int n, int margin, Function function) {
  const Range x = extended(cell, kX, margin, n), y = extended(cell, kY, margin, n), z = extended(cell, kZ, margin, n);
  for (int k = z.begin; k < z.end; ++k)
    for (int j = y.begin; j < y.end; ++j)
      for (int i = x.begin; i < x.end; ++i) {
        const cfd::State value =
            function(coordinate_at(cell, kX, i, n), coordinate_at(cell, kY, j, n), coordinate_at(cell, kZ, k, n));
        double* const to = cell.solution.row(j, k) + i;
        for (int m = 0; m < cfd::kComponents; ++m) to[m * cell.box.pitch] = value[m];
      }
}

// The sum over the points of a cell of the squares of error(i, j, k), a State.
template <class Error>
cfd::State sum_of_squares(const CellData& cell, Error error) {
  cfd::State squares{};
  for (int k = 0; k < cell.box.size[kZ]; ++k)
    for (int j = 0; j < cell.box.size[kY]; ++j)
      for (int i = 0; i < cell.box.size[kX]; ++i) {
        const cfd::State value = error(i, j, k);
        for (int m = 0; m < cfd::kComponents; ++m) squares[m] += value[m] * value[m];
      }
  return squares;
}

}  // namespace

std::vector<CellData> make_cells(const Partition& partition) {
  std::vector<CellData> cells;
  cells.reserve(static_cast<std::size_t>(partition.cells()));
  for (int index = 0; index < partition.cells(); ++index) cells.emplace_back(partition.cell(index), partition.n());
  return cells;
}

// The halo of the exact solution is computed here, not exchanged.
void set_forcing(CellData& cell, int n, Primitives primitives) {
  set_solution(cell, n, kHalo, cfd::exact_solution);
  for (int m = 0; m < cfd::kComponents; ++m) cell.forcing.fill(m, 0.0);
  compute_residual(cell, n, 1.0, primitives);
  for (int k = 0; k < cell.box.size[kZ]; ++k)
    for (int j = 0; j < cell.box.size[kY]; ++j) {
      const double* const residual = cell.increment.row(j, k);
      double* const forcing = cell.forcing.row(j, k);
      const std::ptrdiff_t values = cfd::kComponents * cell.box.pitch - Box::kPad;
      std::transform(residual, residual + values, forcing, [](double value) { return -value; });
    }
}

void set_initial_values(CellData& cell, int n) { set_solution(cell, n, 0, cfd::initial_value); }

cfd::State squared_error(const CellData& cell, int n) {
  return sum_of_squares(cell, [&](int i, int j, int k) {
    cfd::State error = cfd::exact_solution(coordinate_at(cell, kX, i, n), coordinate_at(cell, kY, j, n),
                                           coordinate_at(cell, kZ, k, n));
    for (int m = 0; m < cfd::kComponents; ++m) error[m] -= cell.solution.row(j, k)[m * cell.box.pitch + i];
    return error;
  });
}

cfd::State squared_increment(const CellData& cell) {
  return sum_of_squares(cell, [&](int i, int j, int k) {
    cfd::State value{};
    for (int m = 0; m < cfd::kComponents; ++m) value[m] = cell.increment.row(j, k)[m * cell.box.pitch + i];
    return value;
  });
}

}  // namespace npb::multipartition
