// Symmetric successive over-relaxation on a distributed grid. Each rank owns a pencil along z, and ghost layers that
// its neighbours in x and y fill.
#pragma once

#include "exchange.hpp"
#include "problem.hpp"
#include "residual.hpp"
#include "sweep.hpp"

namespace npb::lu {

// All functions are collective over MPI_COMM_WORLD, and all ranks return the same bits.
class Solver {
 public:
  // Computes the forcing; set_initial_values() comes next.
  Solver(const Problem& problem, const ProcessGrid& grid, bool wildcard);

  // The flow that the iteration starts from, and its residual.
  void set_initial_values();

  // One time step: leaves the new flow and its residual. A last step takes the norm of the correction on the way.
  void step() { take_step(nullptr); }
  void step(cfd::State& correction_norm) { take_step(&correction_norm); }

  cfd::State residual_norm() const { return norm_of_vectors(); }
  cfd::State error_norm() const;
  double surface_integral() const;

 private:
  // State at a point of the grid, from its coordinates.
  using Profile = cfd::State (*)(double, double, double);

  static Extent make_extent(const ProcessGrid& grid, int n);
  void set_flow(Profile profile);
  void take_step(cfd::State* correction_norm);
  void sweep();
  void correct_flow(int k);
  void update_residual();
  cfd::State norm_of_vectors() const;

  Problem problem_;
  Messages messages_;
  Extent extent_;
  Range x_, y_;  // own points in the grid
  Exchange exchange_;
  SpatialOperator spatial_;
  Sweep sweep_;
  Flow u_;
  Vectors forcing_;
  Vectors v_;  // the residual; between two residuals the correction. 0 on the faces of the cube.
};

}  // namespace npb::lu
