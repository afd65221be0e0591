// FT: solves the diffusion equation on a periodic grid by 3-D Fourier transforms. Standard output is a function of
// class and rank count alone; times are in the summary.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "../common/problem.hpp"
#include "../common/program.hpp"
#include "../common/report.hpp"
#include "solver.hpp"

namespace npb::ft {
namespace {

// Million floating-point operations of the timed part, as the suite counts them.
double million_operations(const Problem& problem) {
  const double log_points = std::log(problem.points());
  return 1e-6 * problem.points() * (14.8157 + 7.19641 * log_points + (5.23518 + 7.21113 * log_points) * problem.steps);
}

// A NaN compares false, so it does not verify.
bool is_verified(Complex checksum, Complex expected) {
  return std::abs(checksum - expected) / std::abs(expected) <= Problem::kTolerance;
}

// Runs the timed steps. Whether all checksums are right is known to rank 0.
bool run_steps(Solver& solver, const Problem& problem, bool is_root) {
  bool verified = true;
  if (is_root) std::printf("\n");
  for (int step = 1; step <= problem.steps; ++step) {
    const Complex checksum = solver.solve(step);
    if (!is_root) continue;
    std::printf(" T = %4d     Checksum = %22.12e%22.12e\n", step, checksum.real(), checksum.imag());
    verified = verified && is_verified(checksum, problem.expected_checksum[step - 1]);
  }
  return verified;
}

Summary describe(const Problem& problem, int ranks) {
  Summary summary;
  summary.benchmark = "FT";
  summary.problem_class = problem.problem_class;
  const Extent& grid = problem.grid;
  summary.size = std::to_string(grid.x) + " x " + std::to_string(grid.y) + " x " + std::to_string(grid.z);
  summary.iterations = problem.steps;
  summary.total_processes = summary.active_processes = ranks;
  return summary;
}

void print_decomposition(const ProcessGrid& grid) {
  std::printf(" Process array: %d x %d\n", grid.rows(), grid.columns());
  std::printf(" Layout type: %s\n", grid.columns() == 1 ? "whole grid" : grid.has_slabs() ? "slabs" : "pencils");
}

int run(const Options& options, int rank, int ranks) {
  const Problem& problem = *find_problem(kProblems, options.problem_class);
  const auto grid = ProcessGrid::try_create(problem.grid, ranks, rank);
  if (!grid) {
    if (rank == 0)
      std::fprintf(stderr, "ft: the number of ranks is %d, class %c needs a power of two, at most %d\n", ranks,
                   problem.problem_class, most_ranks(problem.grid));
    return 1;
  }
  Summary summary = describe(problem, ranks);
  if (rank == 0) {
    print_heading(summary);
    print_decomposition(*grid);
    std::fflush(stdout);
  }

  Solver solver(problem, *grid);
  solver.initialise();  // warm-up
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  solver.initialise();
  int verified = run_steps(solver, problem, rank == 0);
  summary.seconds = MPI_Wtime() - start;

  MPI_Bcast(&verified, 1, MPI_INT, 0, MPI_COMM_WORLD);
  summary.verified = verified != 0;
  if (rank == 0) {
    summary.mops = summary.seconds > 0 ? million_operations(problem) / summary.seconds : 0;
    print_outcome(summary, options);
  }
  return summary.verified ? 0 : 1;
}

}  // namespace
}  // namespace npb::ft

int main(int argc, char** argv) {
  return npb::run_program(
      argc, argv,
      {.name = "ft",
       .what = "NAS Parallel Benchmark FT: the diffusion equation by 3-D Fourier transforms. Ranks: a power of two.",
       .run = npb::ft::run});
}
