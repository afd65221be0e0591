// LU: a model of the Navier-Stokes equations, solved by symmetric successive over-relaxation. The sweeps run through
// the grid of ranks as a wavefront, one plane after the other, with many short blocking messages. Standard output is
// a function of class and rank count alone; times are in the summary.

#include <mpi.h>

#include <cstdio>
#include <string>

#include "../common/problem.hpp"
#include "../common/program.hpp"
#include "../common/report.hpp"
#include "solver.hpp"

namespace npb::lu {
namespace {

struct Outcome {
  cfd::Norms norms;
  double surface_integral;
};

// Million floating-point operations of all steps, as the suite counts them.
double million_operations(const Problem& problem) {
  const double n = problem.n;
  return 1e-6 * problem.steps * (1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010.0);
}

bool is_verified(const Outcome& outcome, const Problem& problem) {
  return cfd::is_verified(outcome.norms, problem.expected) &&
         cfd::is_verified(outcome.surface_integral, problem.expected_surface_integral);
}

void print_state(const char* what, const cfd::State& state) {
  std::printf(" %-32s", what);
  for (const double value : state) std::printf(" %20.13e", value);
  std::printf("\n");
}

// Runs the time steps; the last one's norms are printed.
void run_steps(Solver& solver, const Problem& problem, bool prints) {
  cfd::State correction{};
  for (int step = 1; step <= problem.steps; ++step) {
    if (prints && (step == 1 || step % 20 == 0 || step == problem.steps)) std::printf(" Time step %4d\n", step);
    if (step < problem.steps) solver.step();
    else solver.step(correction);
  }
  if (prints) print_state("Norms of the last correction:", correction);
}

Summary describe(const Problem& problem, int ranks) {
  Summary summary;
  const std::string n = std::to_string(problem.n);
  summary.benchmark = "LU";
  summary.problem_class = problem.problem_class;
  summary.size = n + " x " + n + " x " + n;
  summary.iterations = problem.steps;
  summary.total_processes = summary.active_processes = ranks;
  return summary;
}

void print_verification(const Outcome& outcome, const Problem& problem) {
  cfd::print_comparison(problem.problem_class, outcome.norms, problem.expected);
  std::printf(" Surface integral: value, reference, relative difference\n");
  cfd::print_comparison_line("", outcome.surface_integral, problem.expected_surface_integral);
}

int run(const Options& options, int rank, int ranks) {
  const Problem& problem = *find_problem(kProblems, options.problem_class);
  const auto grid = ProcessGrid::try_create(problem.n, ranks, rank);
  if (!grid) {
    if (rank == 0)
      std::fprintf(stderr,
                   "lu: the number of ranks is %d, it must be a product px * py with py <= px <= 2 py, and px at most "
                   "%d in class %c\n",
                   ranks, problem.n / ProcessGrid::kSmallestPart, problem.problem_class);
    return 1;
  }
  Summary summary = describe(problem, ranks);
  if (rank == 0) {
    print_heading(summary);
    std::printf(" Time step length: %g\n Grid of processes: %d x %d\n\n", problem.dt, grid->processes_x(),
                grid->processes_y());
    std::fflush(stdout);
  }

  Solver solver(problem, *grid, options.wildcard);
  solver.set_initial_values();
  solver.step();  // warm-up
  solver.set_initial_values();
  const cfd::State initial = solver.residual_norm();
  if (rank == 0) print_state("Norms of the initial residual:", initial);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run_steps(solver, problem, rank == 0);
  const cfd::State residual = solver.residual_norm();
  summary.seconds = longest(MPI_Wtime() - start);

  const Outcome outcome{{residual, solver.error_norm()}, solver.surface_integral()};
  summary.verified = is_verified(outcome, problem);
  if (rank == 0) {
    summary.mops = summary.seconds > 0 ? million_operations(problem) / summary.seconds : 0;
    print_verification(outcome, problem);
    print_outcome(summary, options);
  }
  return summary.verified ? 0 : 1;
}

}  // namespace
}  // namespace npb::lu

int main(int argc, char** argv) {
  return npb::run_program(
      argc, argv,
      {.name = "lu",
       .what = "NAS Parallel Benchmark LU: flow equations by SSOR, in a wavefront. Ranks: px * py, py <= px <= 2 py.",
       .has_wildcard = true,
       .run = npb::lu::run});
}
