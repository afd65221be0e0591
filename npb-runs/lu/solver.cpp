#include "solver.hpp"

#include "../cfd/exact_solution.hpp"
#include "../cfd/norm.hpp"
#include "surface.hpp"

namespace npb::lu {

using namespace cfd;

Solver::Solver(const Problem& problem, const ProcessGrid& grid, bool wildcard)
    : problem_(problem),
      messages_(grid, wildcard),
      extent_(make_extent(grid, problem.n)),
      x_(grid.x_part()),
      y_(grid.y_part()),
      exchange_(messages_, extent_),
      spatial_(extent_, problem.n, x_.begin, y_.begin),
      sweep_(extent_, problem.n, problem.dt, Problem::kOmega),
      u_(extent_),
      forcing_(extent_),
      v_(extent_) {
  // The forcing makes the exact solution steady: it is minus the spatial operator of it.
  set_flow(exact_solution);
  update_residual();
  for_each_point(extent_.x, extent_.y, extent_.z, [&](int i, int j, int k) {
    const double* operator_value = v_.at(i, j, k);
    double* forcing = forcing_.at(i, j, k);
    for (int m = 0; m < kComponents; ++m) forcing[m * forcing_.component()] = -operator_value[m * v_.component()];
  });
}

Extent Solver::make_extent(const ProcessGrid& grid, int n) {
  const auto interior = [n](Range part) {
    return Range{std::max(part.begin, 1) - part.begin, std::min(part.end, n - 1) - part.begin};
  };
  const Range x = grid.x_part(), y = grid.y_part();
  return {.nx = x.size(), .ny = y.size(), .nz = n, .x = interior(x), .y = interior(y), .z = {1, n - 1}};
}

void Solver::set_initial_values() {
  set_flow(initial_value);
  update_residual();
}

void Solver::set_flow(Profile profile) {
  const int n = problem_.n;
  for_each_point({0, extent_.nx}, {0, extent_.ny}, {0, n}, [&](int i, int j, int k) {
    const State state = profile(coordinate(x_.begin + i, n), coordinate(y_.begin + j, n), coordinate(k, n));
    double* u = u_.at(i, j, k);
    for (int m = 0; m < kComponents; ++m) u[m * u_.component()] = state[m];
    derive(u, u_.component(), 1);
  });
  for (int k = 0; k < n; ++k) exchange_.pack_halo(u_, k);
}

void Solver::take_step(State* correction_norm) {
  sweep();
  if (correction_norm != nullptr) *correction_norm = norm_of_vectors();
  update_residual();
}

// From the residual to the correction, plane by plane: a plane starts when the neighbours' fronts of it are here. The
// upper sweep of plane k is the last that needs the old flow of plane k+1, which is corrected while it is in the cache.
void Solver::sweep() {
  for (int k = extent_.z.begin; k < extent_.z.end; ++k) {
    exchange_.receive_front(v_, k, true);
    sweep_.lower(u_, v_, k);
    exchange_.send_front(v_, k, true);
  }
  for (int k = extent_.z.end - 1; k >= extent_.z.begin; --k) {
    exchange_.receive_front(v_, k, false);
    sweep_.upper(u_, v_, k);
    exchange_.send_front(v_, k, false);
    if (k + 1 < extent_.z.end) correct_flow(k + 1);
  }
  correct_flow(extent_.z.begin);
}

// u + v / (omega (2 - omega)) at the interior points of plane k, whose halo is taken at once.
void Solver::correct_flow(int k) {
  constexpr double kScale = 1.0 / (Problem::kOmega * (2.0 - Problem::kOmega));
  const Range diagonals = extent_.interior_diagonals();
  for (int d = diagonals.begin; d < diagonals.end; ++d) {
    const Range i = extent_.on_diagonal(d);
    double* first = u_.at(i.begin, d - i.begin, k);
    const double* correction = v_.at(i.begin, d - i.begin, k);
    for (int m = 0; m < kComponents; ++m) {
      double* __restrict u = first + m * u_.component();
      const double* __restrict v = correction + m * v_.component();
      for (int p = 0; p < i.size(); ++p) u[p] += kScale * v[p];
    }
    derive(first, u_.component(), i.size());
  }
  exchange_.pack_halo(u_, k);
}

void Solver::update_residual() {
  exchange_.halo(u_);
  spatial_.apply(u_, forcing_, v_);
}

State Solver::norm_of_vectors() const {
  State squares{};
  for_each_point(extent_.x, extent_.y, extent_.z, [&](int i, int j, int k) {
    const double* v = v_.at(i, j, k);
    for (int m = 0; m < kComponents; ++m) squares[m] += v[m * v_.component()] * v[m * v_.component()];
  });
  return root_mean_square(squares, problem_.n);
}

State Solver::error_norm() const {
  const int n = problem_.n;
  State squares{};
  for_each_point(extent_.x, extent_.y, extent_.z, [&](int i, int j, int k) {
    const State exact = exact_solution(coordinate(x_.begin + i, n), coordinate(y_.begin + j, n), coordinate(k, n));
    const double* u = u_.at(i, j, k);
    for (int m = 0; m < kComponents; ++m) {
      const double error = u[m * u_.component()] - exact[m];
      squares[m] += error * error;
    }
  });
  return root_mean_square(squares, n);
}

double Solver::surface_integral() const { return lu::surface_integral(messages_, extent_, u_, problem_.n); }

}  // namespace npb::lu
