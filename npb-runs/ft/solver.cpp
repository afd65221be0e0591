#include "solver.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "../common/random.hpp"

namespace npb::ft {
namespace {

// exp(-4 alpha pi^2 step k^2) for the wave numbers k of places begin .. begin + count - 1 of an axis. The second half
// of an axis holds the negative ones.
std::vector<double> damping_along(int length, int begin, int count, int step) {
  std::vector<double> factors;
  for (int place = begin; place < begin + count; ++place) {
    const double k = place < length / 2 ? place : place - length;
    factors.push_back(std::exp(-4.0 * Problem::kAlpha * std::numbers::pi * std::numbers::pi * step * (k * k)));
  }
  return factors;
}

}  // namespace

Solver::Solver(const Problem& problem, const ProcessGrid& grid)
    : problem_(problem),
      grid_(grid),
      passes_(grid),
      spectrum_(points(grid.z_box())),
      incoming_(spectrum_.size()),
      outgoing_(spectrum_.size()) {
  MPI_Comm_split(MPI_COMM_WORLD, grid_.column(), grid_.row(), &same_column_);
  MPI_Comm_split(MPI_COMM_WORLD, grid_.row(), grid_.column(), &same_row_);
}

Solver::~Solver() {
  MPI_Comm_free(&same_column_);
  MPI_Comm_free(&same_row_);
}

void Solver::initialise() {
  make_initial_data();
  transform();
}

// Each point takes two numbers of the sequence, in the order of the whole grid.
void Solver::make_initial_data() {
  const Extent whole = grid_.grid();
  const Extent box = grid_.x_box();
  const std::size_t plane = static_cast<std::size_t>(box.x) * box.y;
  for (int z = 0; z < box.z; ++z) {
    const std::int64_t first_row = std::int64_t{whole.y} * (grid_.column() * box.z + z) + grid_.row() * box.y;
    Random random;
    random.skip(2 * static_cast<std::uint64_t>(whole.x * first_row));
    random.fill(reinterpret_cast<double*>(&incoming_[z * plane]), 2 * plane);
  }
}

// incoming_ to spectrum_. In slabs x and y follow each other plane by plane, as a plane fits the cache.
void Solver::transform() {
  const Extent box = grid_.x_box();
  if (grid_.has_slabs()) {
    for (int z = 0; z < box.z; ++z) {
      passes_.x.forward(incoming_.data(), incoming_.data(), lines_of_plane(z, box.y));
      passes_.y.forward(incoming_.data(), outgoing_.data(), lines_of_plane(z, box.x));
    }
  } else {
    passes_.x.forward(incoming_.data(), outgoing_.data(), passes_.x.all_lines());
    exchange(same_column_, grid_.rows());
    passes_.y.forward(incoming_.data(), outgoing_.data(), passes_.y.all_lines());
  }
  exchange(same_row_, grid_.columns());
  passes_.z.forward(incoming_.data(), spectrum_.data(), passes_.z.all_lines());
}

// spectrum_, damped, to outgoing_.
void Solver::transform_back(const Damping& damping) {
  const Extent box = grid_.x_box();
  passes_.z.inverse(spectrum_.data(), outgoing_.data(), passes_.z.all_lines(), &damping);
  exchange(same_row_, grid_.columns());
  if (grid_.has_slabs()) {
    for (int z = 0; z < box.z; ++z) {
      passes_.y.inverse(incoming_.data(), outgoing_.data(), lines_of_plane(z, box.x));
      passes_.x.inverse(outgoing_.data(), outgoing_.data(), lines_of_plane(z, box.y));
    }
  } else {
    passes_.y.inverse(incoming_.data(), outgoing_.data(), passes_.y.all_lines());
    exchange(same_column_, grid_.rows());
    passes_.x.inverse(incoming_.data(), outgoing_.data(), passes_.x.all_lines());
  }
}

// Part r of outgoing_ becomes the part of incoming_ on rank r that belongs to this rank.
void Solver::exchange(MPI_Comm comm, int parts) {
  if (parts == 1) {
    std::swap(incoming_, outgoing_);
    return;
  }
  const int count = static_cast<int>(outgoing_.size() / static_cast<std::size_t>(parts));
  MPI_Alltoall(outgoing_.data(), count, MPI_C_DOUBLE_COMPLEX, incoming_.data(), count, MPI_C_DOUBLE_COMPLEX, comm);
}

// The power of the damping factor that `step` steps amount to. It is a product of one factor per axis.
Damping Solver::damping_at(int step) const {
  const Extent whole = grid_.grid();
  const Extent box = grid_.z_box();
  const std::vector<double> x = damping_along(whole.x, grid_.row() * box.x, box.x, step);
  const std::vector<double> y = damping_along(whole.y, grid_.column() * box.y, box.y, step);
  Damping damping{damping_along(whole.z, 0, whole.z, step), {}};
  damping.line.reserve(x.size() * y.size());
  for (const double factor_y : y)
    for (const double factor_x : x) damping.line.push_back(factor_y * factor_x);
  return damping;
}

// The terms whose points are on this rank.
Complex Solver::local_checksum() const {
  const Extent whole = grid_.grid();
  const Extent box = grid_.x_box();
  const Range my_y{grid_.row() * box.y, (grid_.row() + 1) * box.y};
  const Range my_z{grid_.column() * box.z, (grid_.column() + 1) * box.z};
  const Placement place_of = place(box);
  Complex sum = 0;
  for (int q = 1; q <= Problem::kChecksumTerms; ++q) {
    const int x = q % whole.x, y = 3 * q % whole.y, z = 5 * q % whole.z;
    if (my_y.contains(y) && my_z.contains(z))
      sum += outgoing_[place_of.x[x] + place_of.y[y - my_y.begin] + place_of.z[z - my_z.begin]];
  }
  return sum / problem_.points();
}

Complex Solver::solve(int step) {
  transform_back(damping_at(step));
  const Complex mine = local_checksum();
  Complex sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD);
  return sum;
}

}  // namespace npb::ft
