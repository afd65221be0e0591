#include "surface.hpp"

#include <algorithm>
#include <vector>

namespace npb::lu {
namespace {

using namespace cfd;

double pressure(const Flow& u, int i, int j, int k) {
  const double* values = u.at(i, j, k);
  const std::ptrdiff_t s = u.component();
  return kC2 * (values[4 * s] - values[kKinetic * s] * values[0]);
}

// Values on a rectangle of points, rows a and columns b, with room for one more row and column at either end.
class Plane {
 public:
  Plane(int rows, int columns) : columns_(columns + 2), data_((rows + 2) * columns_) {}
  double& at(int a, int b) { return data_[(a + 1) * columns_ + b + 1]; }
  double at(int a, int b) const { return data_[(a + 1) * columns_ + b + 1]; }

 private:
  std::size_t columns_;
  std::vector<double> data_;
};

// Sums the four corners of each cell, given by its corner with the smallest indices.
double sum_cells(const Plane& plane, Range rows, Range columns) {
  double sum = 0;
  for (int a = rows.begin; a < rows.end; ++a)
    for (int b = columns.begin; b < columns.end; ++b)
      sum += plane.at(a, b) + plane.at(a + 1, b) + plane.at(a, b + 1) + plane.at(a + 1, b + 1);
  return sum;
}

double sum_over_ranks(double value) {
  double sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

class Integrator {
 public:
  Integrator(const Messages& messages, const Extent& extent, const Flow& u, int n)
      : messages_(messages), extent_(extent), u_(u) {
    const Range x = messages.grid().x_part(), y = messages.grid().y_part();
    // Cells of the box: points 1 .. n-2 in x, 1 .. n-3 in y, 2 .. n-2 in z.
    x_cells_ = clip({1, n - 2}, x);
    y_cells_ = clip({1, n - 3}, y);
    z_cells_ = {2, n - 2};
  }

  // The two faces across z.
  double across_z() const {
    Plane planes[2] = {{extent_.nx, extent_.ny}, {extent_.nx, extent_.ny}};
    for (int side = 0; side < 2; ++side)
      for_each_point({0, extent_.nx}, {0, extent_.ny}, {0, 1}, [&](int i, int j, int) {
        planes[side].at(i, j) = pressure(u_, i, j, side == 0 ? z_cells_.begin : z_cells_.end);
      });
    share_edges(planes);
    double sum = 0;
    for (const Plane& plane : planes) sum += sum_cells(plane, x_cells_, y_cells_);
    return sum;
  }

  // The two faces across y, on the ranks at the west and east end of the grid.
  double across_y() const {
    double sum = 0;
    if (!messages_.grid().has_neighbour(Side::kWest)) sum += across_y_at(1);
    if (!messages_.grid().has_neighbour(Side::kEast)) sum += across_y_at(extent_.ny - 3);
    return sum;
  }

  // The two faces across x, on the ranks at the north and south end.
  double across_x() const {
    double sum = 0;
    if (!messages_.grid().has_neighbour(Side::kNorth)) sum += across_x_at(1);
    if (!messages_.grid().has_neighbour(Side::kSouth)) sum += across_x_at(extent_.nx - 2);
    return sum;
  }

 private:
  // The part of `cells` that belongs to the points `own`, in local indices.
  static Range clip(Range cells, Range own) {
    return {std::max(cells.begin, own.begin) - own.begin, std::min(cells.end, own.end) - own.begin};
  }

  double across_y_at(int j) const {
    Plane plane(extent_.nx, extent_.nz);
    for_each_point({0, extent_.nx}, {j, j + 1}, {0, extent_.nz},
                   [&](int i, int, int k) { plane.at(i, k) = pressure(u_, i, j, k); });
    share_last_row(plane, extent_.nx, Side::kSouth);
    return sum_cells(plane, x_cells_, z_cells_);
  }

  double across_x_at(int i) const {
    Plane plane(extent_.ny, extent_.nz);
    for_each_point({i, i + 1}, {0, extent_.ny}, {0, extent_.nz},
                   [&](int, int j, int k) { plane.at(j, k) = pressure(u_, i, j, k); });
    share_last_row(plane, extent_.ny, Side::kEast);
    return sum_cells(plane, y_cells_, z_cells_);
  }

  // Both planes across z in one message: the column behind the last from east, then the row behind the last from
  // south, with the corner that has just come from east.
  void share_edges(Plane (&planes)[2]) const {
    const int rows = extent_.nx, columns = extent_.ny;
    std::vector<double> line;
    const auto pass_on = [&](Side from, Range range, auto own, auto behind) {
      line.resize(2 * range.size());
      if (messages_.grid().has_neighbour(from)) {
        receive(from, line);
        for (int side = 0; side < 2; ++side)
          for (int p = 0; p < range.size(); ++p) behind(planes[side], range.begin + p) = line[side * range.size() + p];
      }
      if (messages_.grid().has_neighbour(opposite(from))) {
        for (int side = 0; side < 2; ++side)
          for (int p = 0; p < range.size(); ++p) line[side * range.size() + p] = own(planes[side], range.begin + p);
        messages_.send(opposite(from), line.data(), static_cast<int>(line.size()));
      }
    };
    pass_on(
        Side::kEast, {0, rows}, [](Plane& plane, int a) -> double& { return plane.at(a, 0); },
        [=](Plane& plane, int a) -> double& { return plane.at(a, columns); });
    pass_on(
        Side::kSouth, {-1, columns + 1}, [](Plane& plane, int b) -> double& { return plane.at(0, b); },
        [=](Plane& plane, int b) -> double& { return plane.at(rows, b); });
  }

  // A plane along z: the row behind the last comes from the next rank, the first row goes to the previous one.
  void share_last_row(Plane& plane, int rows, Side from) const {
    std::vector<double> line(extent_.nz);
    if (messages_.grid().has_neighbour(from)) {
      receive(from, line);
      for (int k = 0; k < extent_.nz; ++k) plane.at(rows, k) = line[k];
    }
    if (messages_.grid().has_neighbour(opposite(from))) {
      for (int k = 0; k < extent_.nz; ++k) line[k] = plane.at(0, k);
      messages_.send(opposite(from), line.data(), extent_.nz);
    }
  }

  void receive(Side from, std::vector<double>& line) const {
    MPI_Request request = messages_.start_receive(from, line.data(), static_cast<int>(line.size()));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  const Messages& messages_;
  const Extent& extent_;
  const Flow& u_;
  Range x_cells_;
  Range y_cells_;
  Range z_cells_;
};

}  // namespace

double surface_integral(const Messages& messages, const Extent& extent, const Flow& u, int n) {
  const Integrator integrator(messages, extent, u, n);
  double sum = sum_over_ranks(integrator.across_z());
  sum += sum_over_ranks(integrator.across_y());
  sum += sum_over_ranks(integrator.across_x());
  const double h = Spacing(n).h;
  return 0.25 * h * h * sum;
}

}  // namespace npb::lu
