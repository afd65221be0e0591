// CG: estimates the smallest eigenvalue of a sparse symmetric matrix by inverse power iteration, each step
// being 25 iterations of the conjugate gradient method. Standard output is a function of class and rank
// count alone; times are in the summary.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "../common/problem.hpp"
#include "../common/program.hpp"
#include "../common/report.hpp"
#include "solver.hpp"

namespace npb::cg {
namespace {

// Million floating-point operations of all outer iterations, as the suite counts them.
double million_operations(const Problem& problem) {
  const double width = problem.nonzeros * (problem.nonzeros + 1.0);
  return 2.0e-6 * problem.iterations * problem.order * (3.0 + width + Problem::kInnerIterations * (5.0 + width) + 3.0);
}

bool is_verified(double zeta, const Problem& problem) {
  // A NaN compares false, so it does not verify.
  return std::fabs(zeta - problem.expected_zeta) / problem.expected_zeta <= Problem::kTolerance;
}

// Runs the timed iterations and returns the last zeta.
double run_iterations(Solver& solver, const Problem& problem, bool prints) {
  if (prints) std::printf("\n   iteration           ||r||                 zeta\n");
  OuterResult result;
  for (int iteration = 1; iteration <= problem.iterations; ++iteration) {
    result = solver.iterate();
    if (prints) std::printf("    %5d       %20.14e   %18.13f\n", iteration, result.residual_norm, result.zeta);
  }
  return result.zeta;
}

void print_zeta(double zeta, const Problem& problem) {
  std::printf("\n Zeta is    %20.13e\n", zeta);
  std::printf(" Error is   %20.13e\n", std::fabs(zeta - problem.expected_zeta) / problem.expected_zeta);
}

Summary describe(const Problem& problem, int ranks) {
  Summary summary;
  summary.benchmark = "CG";
  summary.problem_class = problem.problem_class;
  summary.size = std::to_string(problem.order);
  summary.iterations = problem.iterations;
  summary.total_processes = summary.active_processes = ranks;
  return summary;
}

int run(const Options& options, int rank, int ranks) {
  const Problem& problem = *find_problem(kProblems, options.problem_class);
  const auto grid = ProcessGrid::try_create(problem.order, ranks, rank);
  if (!grid) {
    if (rank == 0) std::fprintf(stderr, "cg: the number of ranks is %d, it must be a power of two\n", ranks);
    return 1;
  }
  Summary summary = describe(problem, ranks);
  if (rank == 0) {
    print_heading(summary);
    std::printf(" Nonzeros per row: %d\n Eigenvalue shift: %.3f\n", problem.nonzeros, problem.shift);
    std::fflush(stdout);
  }

  Solver solver(
      problem, *grid,
      SparseBlock::assemble(problem, make_generating_vectors(problem), grid->row_part(), grid->column_part()));
  solver.iterate();  // warm-up
  solver.reset();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const double zeta = run_iterations(solver, problem, rank == 0);
  summary.seconds = longest(MPI_Wtime() - start);

  summary.verified = is_verified(zeta, problem);
  if (rank == 0) {
    summary.mops = summary.seconds > 0 ? million_operations(problem) / summary.seconds : 0;
    print_zeta(zeta, problem);
    print_outcome(summary, options);
  }
  return summary.verified ? 0 : 1;
}

}  // namespace
}  // namespace npb::cg

int main(int argc, char** argv) {
  return npb::run_program(
      argc, argv,
      {.name = "cg",
       .what = "NAS Parallel Benchmark CG: conjugate gradients on a sparse matrix. Ranks: a power of two.",
       .run = npb::cg::run});
}
