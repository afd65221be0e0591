// The diffusion equation in Fourier space: one transform of the initial data, then for each time step a damping of
// all coefficients and an inverse transform.
#pragma once

#include <mpi.h>

#include "aligned.hpp"
#include "layout.hpp"
#include "passes.hpp"
#include "problem.hpp"

namespace npb::ft {

class Solver {
 public:
  // All of this is collective over MPI_COMM_WORLD.
  Solver(const Problem& problem, const ProcessGrid& grid);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // The random initial data and their transform.
  void initialise();

  // The checksum of the solution at time `step` on rank 0; elsewhere without meaning.
  Complex solve(int step);

 private:
  void make_initial_data();
  void transform();
  void transform_back(const Damping& damping);
  void exchange(MPI_Comm comm, int parts);
  Damping damping_at(int step) const;
  Complex local_checksum() const;
  Range lines_of_plane(int z, int lines_per_plane) const { return {z * lines_per_plane, (z + 1) * lines_per_plane}; }

  Problem problem_;
  ProcessGrid grid_;
  Passes passes_;
  MPI_Comm same_column_ = MPI_COMM_NULL;  // the ranks between which x and y are exchanged, in the order of rows
  MPI_Comm same_row_ = MPI_COMM_NULL;     // those of y and z, in the order of columns

  AlignedVector<Complex> spectrum_;  // of the initial data, z complete
  // A pass reads incoming_ and writes outgoing_, which an exchange moves to incoming_. The initial data are in
  // incoming_, a solution is in outgoing_, both x complete and x fastest.
  AlignedVector<Complex> incoming_;
  AlignedVector<Complex> outgoing_;
};

}  // namespace npb::ft
