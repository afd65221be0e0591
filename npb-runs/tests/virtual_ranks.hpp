// Time steps of SP and BT with all ranks in one process and copies for messages: what the solvers compute, without MPI.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "../multipartition/cell_fields.hpp"
#include "../multipartition/line_solver.hpp"

namespace npb::test {

using namespace multipartition;

template <class Solver>
class VirtualRanks {
 public:
  VirtualRanks(int n, int ranks, double dt, Primitives primitives) : n_(n), dt_(dt), primitives_(primitives) {
    for (int rank = 0; rank < ranks; ++rank) {
      const Partition partition = *Partition::try_create(n, ranks, rank);
      auto cells = make_cells(partition);
      for (CellData& cell : cells) {
        set_forcing(cell, n, primitives);
        set_initial_values(cell, n);
      }
      ranks_.push_back({partition, std::move(cells), nullptr});
      ranks_.back().solver = std::make_unique<Solver>(partition, ranks_.back().cells, dt);
    }
  }

  void advance() {
    compute_increment();
    for (const Axis axis : kAxes) sweep(axis);
  }

  // The norms of residual and error.
  cfd::State residual_norm() {
    compute_increment();
    cfd::State norm = root_mean_square([](const CellData& cell) { return squared_increment(cell); });
    for (double& value : norm) value /= dt_;
    return norm;
  }
  cfd::State error_norm() {
    return root_mean_square([this](const CellData& cell) { return squared_error(cell, n_); });
  }

 private:
  struct Rank {
    Partition partition;
    std::vector<CellData> cells;
    std::unique_ptr<Solver> solver;
  };

  // The value of the solution at a point of the grid, in the cell that owns it.
  const double* solution_at(const std::array<int, 3>& point) const {
    for (const Rank& rank : ranks_)
      for (const CellData& cell : rank.cells) {
        const auto& points = cell.place.points;
        if (points[kX].contains(point[kX]) && points[kY].contains(point[kY]) && points[kZ].contains(point[kZ]))
          return cell.solution.row(point[kY] - points[kY].begin, point[kZ] - points[kZ].begin) + point[kX] -
                 points[kX].begin;
      }
    return nullptr;
  }

  // Fills the faces of the halo, not its edges and corners.
  void fill_halo(CellData& cell) {
    std::array<int, 3> local;
    for (local[kZ] = -kHalo; local[kZ] < cell.box.size[kZ] + kHalo; ++local[kZ])
      for (local[kY] = -kHalo; local[kY] < cell.box.size[kY] + kHalo; ++local[kY])
        for (local[kX] = -kHalo; local[kX] < cell.box.size[kX] + kHalo; ++local[kX]) {
          int outside = 0;
          std::array<int, 3> point;
          for (const Axis axis : kAxes) {
            outside += local[axis] < 0 || local[axis] >= cell.box.size[axis];
            point[axis] = local[axis] + cell.place.points[axis].begin;
          }
          const double* const from = outside == 1 ? solution_at(point) : nullptr;
          if (from == nullptr) continue;
          double* const to = cell.solution.row(local[kY], local[kZ]) + local[kX];
          const std::ptrdiff_t pitch = owner_pitch(point);
          for (int m = 0; m < cfd::kComponents; ++m) to[m * cell.box.pitch] = from[m * pitch];
        }
  }

  std::ptrdiff_t owner_pitch(const std::array<int, 3>& point) const {
    for (const Rank& rank : ranks_)
      for (const CellData& cell : rank.cells)
        if (cell.place.points[kX].contains(point[kX])) return cell.box.pitch;
    return 0;
  }

  void compute_increment() {
    for (Rank& rank : ranks_)
      for (CellData& cell : rank.cells) fill_halo(cell);
    for (Rank& rank : ranks_)
      for (CellData& cell : rank.cells) compute_residual(cell, n_, dt_, primitives_);
  }

  CellData& cell_in(Rank& rank, Axis axis, int slab) { return rank.cells[rank.partition.cell_in_slab(axis, slab)]; }

  void sweep(Axis axis) {
    using Messages = std::vector<std::vector<double>>;
    const int last = ranks_[0].partition.cells() - 1;
    Messages in(ranks_.size()), out(ranks_.size());
    for (int slab = 0; slab <= last; ++slab, std::swap(in, out))
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        Rank& rank = ranks_[r];
        CellData& cell = cell_in(rank, axis, slab);
        const double* const from = slab > 0 ? in[rank.partition.predecessor(axis)].data() : nullptr;
        const LineMessage message =
            slab < last ? rank.solver->upward_message(cell, axis) : rank.solver->downward_message(cell, axis);
        out[r].assign(message.count, 0.0);
        if (slab < last) rank.solver->eliminate(cell, axis, from, out[r].data());
        else rank.solver->turn_round(cell, axis, from, last > 0 ? out[r].data() : nullptr);
      }
    for (int slab = last - 1; slab >= 0; --slab, std::swap(in, out))
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        Rank& rank = ranks_[r];
        CellData& cell = cell_in(rank, axis, slab);
        out[r].assign(rank.solver->downward_message(cell, axis).count, 0.0);
        rank.solver->substitute(cell, axis, in[rank.partition.successor(axis)].data(),
                                slab > 0 ? out[r].data() : nullptr);
      }
  }

  template <class Squares>
  cfd::State root_mean_square(Squares squares) const {
    cfd::State norm{};
    for (const Rank& rank : ranks_)
      for (const CellData& cell : rank.cells) {
        const cfd::State summand = squares(cell);
        for (int m = 0; m < cfd::kComponents; ++m) norm[m] += summand[m];
      }
    for (double& value : norm) value = std::sqrt(value / ((n_ - 2.0) * (n_ - 2.0) * (n_ - 2.0)));
    return norm;
  }

  int n_;
  double dt_;
  Primitives primitives_;
  std::vector<Rank> ranks_;
};

}  // namespace npb::test
