// SP: integrates a model of the compressible Navier-Stokes equations by approximate factorisation. Along each direction
// the equations are diagonalised, which leaves scalar pentadiagonal systems on every line of the grid. Standard output
// is a function of class and rank count alone; times are in the summary.

#include "../common/program.hpp"
#include "../multipartition/benchmark.hpp"
#include "pentadiagonal_solver.hpp"
#include "problem.hpp"

namespace npb::sp {
namespace {

double operations(double n) { return 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4; }

std::unique_ptr<multipartition::LineSolver> make_solver(const multipartition::Partition& partition,
                                                        const std::vector<multipartition::CellData>& cells, double dt) {
  return std::make_unique<PentadiagonalSolver>(partition, cells, dt);
}

int run(const Options& options, int rank, int ranks) {
  return multipartition::run_benchmark({.letters = "SP",
                                        .problems = kProblems,
                                        .primitives = multipartition::Primitives::kWithSound,
                                        .completion = multipartition::Sweep::Completion::kTogether,
                                        .make_solver = make_solver,
                                        .operations = operations,
                                        .prints_last_step = false},
                                       options, rank, ranks);
}

}  // namespace
}  // namespace npb::sp

int main(int argc, char** argv) {
  return npb::run_program(
      argc, argv,
      {.name = "sp",
       .what = "NAS Parallel Benchmark SP: scalar pentadiagonal systems, multi-partition. Ranks: a square.",
       .run = npb::sp::run});
}
