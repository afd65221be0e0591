// MG: solves the Poisson equation in a periodic cube approximately, by V-cycles of a multigrid method. Standard
// output is a function of class and rank count alone; times are in the summary.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "../common/problem.hpp"
#include "../common/program.hpp"
#include "../common/report.hpp"
#include "solver.hpp"

namespace npb::mg {
namespace {

// Million floating-point operations of all cycles, as the suite counts them.
double million_operations(const Problem& problem) {
  const double points = problem.points;
  return 58.0e-6 * problem.cycles * points * points * points;
}

double error_of(double norm, const Problem& problem) {
  return std::fabs(norm - problem.expected_norm) / problem.expected_norm;
}

// Runs the timed part and returns the norm of the residual.
double run_cycles(Solver& solver, const Problem& problem, bool prints) {
  solver.update_residual();
  solver.norms();
  for (int cycle = 1; cycle <= problem.cycles; ++cycle) {
    if (prints && (cycle == 1 || cycle == problem.cycles || cycle % 5 == 0)) std::printf("  iter %3d\n", cycle);
    solver.cycle();
    solver.update_residual();
  }
  return solver.norms().mean;
}

void warm_up(Solver& solver) {
  solver.update_residual();
  solver.norms();
  solver.cycle();
  solver.update_residual();
}

Summary describe(const Problem& problem, int ranks) {
  const std::string points = std::to_string(problem.points);
  Summary summary;
  summary.benchmark = "MG";
  summary.problem_class = problem.problem_class;
  summary.size = points + " x " + points + " x " + points;
  summary.iterations = problem.cycles;
  summary.total_processes = summary.active_processes = ranks;
  return summary;
}

int run(const Options& options, int rank, int ranks) {
  const Problem& problem = *find_problem(kProblems, options.problem_class);
  const auto grid = ProcessGrid::try_create(problem.points, ranks, rank);
  if (!grid) {
    if (rank == 0)
      std::fprintf(stderr,
                   "mg: the number of ranks is %d, it must be a power of two that leaves each rank at least two of"
                   " the %d points per direction\n",
                   ranks, problem.points);
    return 1;
  }
  Summary summary = describe(problem, ranks);
  if (rank == 0) {
    print_heading(summary);
    std::printf("\n");
    std::fflush(stdout);
  }

  Solver solver(problem, *grid, options.wildcard);
  solver.reset();
  warm_up(solver);
  solver.reset();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const double norm = run_cycles(solver, problem, rank == 0);
  summary.seconds = longest(MPI_Wtime() - start);

  // A NaN compares false, so it does not verify.
  const double error = error_of(norm, problem);
  summary.verified = error <= Problem::kTolerance;
  if (rank == 0) {
    summary.mops = summary.seconds > 0 ? million_operations(problem) / summary.seconds : 0;
    std::printf("\n L2 Norm is %20.13e\n", norm);
    std::printf(" Error is   %20.13e\n", error);
    print_outcome(summary, options);
  }
  return summary.verified ? 0 : 1;
}

}  // namespace
}  // namespace npb::mg

int main(int argc, char** argv) {
  return npb::run_program(
      argc, argv,
      {.name = "mg",
       .what = "NAS Parallel Benchmark MG: multigrid for a Poisson equation. Ranks: a power of two.",
       .has_wildcard = true,
       .run = npb::mg::run});
}
