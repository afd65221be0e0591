// Inverse power iteration on a distributed matrix. Each rank owns one block of the matrix and one piece of
// every vector; ranks of the same process column hold the same piece with the same bits.
#pragma once

#include <vector>

#include "matrix.hpp"
#include "problem.hpp"
#include "process_grid.hpp"

namespace npb::cg {

struct OuterResult {
  double residual_norm = 0;  // of the linear system: || x - A z ||
  double zeta = 0;           // the estimate of the eigenvalue
};

class Solver {
 public:
  Solver(const Problem& problem, const ProcessGrid& grid, SparseBlock matrix);

  // x = (1, ..., 1).
  void reset();

  // One outer iteration: solves A z = x approximately, then x = z / ||z||. Collective over
  // MPI_COMM_WORLD. All ranks return the same bits.
  OuterResult iterate();

 private:
  double solve();  // returns the residual norm
  void multiply(const std::vector<double>& p, std::vector<double>& q);
  void sum_along_row();
  void transpose(std::vector<double>& q);
  void exchange(int partner, int tag, const double* send, int send_count, double* receive, int receive_count) const;
  void sum_scalars(double* values, int count) const;
  double sum_scalar(double value) const;

  Problem problem_;
  ProcessGrid grid_;
  SparseBlock matrix_;
  std::vector<double> x_, z_, r_, p_, q_;  // column part of the rank
  std::vector<double> w_;                  // row part: the local product, then its sum over the process row
  std::vector<double> incoming_;           // row part: what a partner sends
};

}  // namespace npb::cg
