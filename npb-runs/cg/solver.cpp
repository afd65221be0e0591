#include "solver.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace npb::cg {
namespace {

constexpr int kTransposeTag = 1;

// As in SparseBlock::multiply: four sums in a fixed order.
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum[4] = {};
  const std::size_t n = a.size();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  for (; i < n; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

Solver::Solver(const Problem& problem, const ProcessGrid& grid, SparseBlock matrix)
    : problem_(problem), grid_(grid), matrix_(std::move(matrix)) {
  const auto columns = static_cast<std::size_t>(grid_.column_part().size());
  const auto rows = static_cast<std::size_t>(grid_.row_part().size());
  for (std::vector<double>* vector : {&x_, &z_, &r_, &p_, &q_}) vector->assign(columns, 0.0);
  w_.assign(rows, 0.0);
  incoming_.assign(rows, 0.0);
  reset();
}

void Solver::reset() { std::fill(x_.begin(), x_.end(), 1.0); }

OuterResult Solver::iterate() {
  OuterResult result;
  result.residual_norm = solve();
  double sums[2] = {dot(x_, z_), dot(z_, z_)};
  sum_scalars(sums, 2);
  result.zeta = problem_.shift + 1.0 / sums[0];
  const double scale = 1.0 / std::sqrt(sums[1]);
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = scale * z_[i];
  return result;
}

// 25 steps of the conjugate gradient method from z = 0.
double Solver::solve() {
  std::fill(z_.begin(), z_.end(), 0.0);
  r_ = x_;
  p_ = r_;
  double rho = sum_scalar(dot(r_, r_));
  for (int step = 0; step < Problem::kInnerIterations; ++step) {
    multiply(p_, q_);
    const double alpha = rho / sum_scalar(dot(p_, q_));
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] += alpha * p_[i];
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] -= alpha * q_[i];
    const double previous = std::exchange(rho, sum_scalar(dot(r_, r_)));
    const double beta = rho / previous;
    for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = r_[i] + beta * p_[i];
  }
  multiply(z_, q_);
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = x_[i] - q_[i];
  return std::sqrt(sum_scalar(dot(r_, r_)));
}

// q = A p.
void Solver::multiply(const std::vector<double>& p, std::vector<double>& q) {
  matrix_.multiply(p.data(), w_.data());
  sum_along_row();
  transpose(q);
}

// Adds up the local products of a process row. On return the rank's summed part of w_ is complete; the rest
// of w_ is of no use.
void Solver::sum_along_row() {
  const int first_row = grid_.row_part().begin;
  const Range mine = grid_.summed_part();
  for (int step = grid_.butterfly_steps(); step >= 1; --step) {
    Range given = mine;  // what the partner keeps
    if (!grid_.is_square() && step == grid_.butterfly_steps()) {
      const Range whole = grid_.row_part();
      given = mine.begin == whole.begin ? Range{mine.end, whole.end} : Range{whole.begin, mine.begin};
    }
    exchange(grid_.partner(step), step, w_.data() + (given.begin - first_row), given.size(), incoming_.data(),
             mine.size());
    double* sum = w_.data() + (mine.begin - first_row);
    for (int i = 0; i < mine.size(); ++i) sum[i] += incoming_[i];
  }
}

// Moves the summed pieces to the ranks that hold them as vector pieces.
void Solver::transpose(std::vector<double>& q) {
  if (grid_.process_columns() == 1) {
    std::copy(w_.begin(), w_.end(), q.begin());
    return;
  }
  const Range mine = grid_.summed_part();
  exchange(grid_.transpose_partner(), kTransposeTag, w_.data() + (mine.begin - grid_.row_part().begin), mine.size(),
           q.data(), static_cast<int>(q.size()));
}

// The one form of message in CG. The receive is posted first, so a partner that is this very rank works too.
void Solver::exchange(int partner, int tag, const double* send, int send_count, double* receive,
                      int receive_count) const {
  MPI_Request request;
  MPI_Irecv(receive, receive_count, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD, &request);
  MPI_Send(send, send_count, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Sums `count` (1 or 2) values over the process row. Both partners of a round add the same two numbers, so
// all ranks get the same bits.
void Solver::sum_scalars(double* values, int count) const {
  for (int step = 1; step <= grid_.butterfly_steps(); ++step) {
    double received[2];
    exchange(grid_.partner(step), step, values, count, received, count);
    for (int i = 0; i < count; ++i) values[i] += received[i];
  }
}

double Solver::sum_scalar(double value) const {
  sum_scalars(&value, 1);
  return value;
}

}  // namespace npb::cg
