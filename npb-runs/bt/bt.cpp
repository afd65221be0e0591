// BT: integrates a model of the compressible Navier-Stokes equations by approximate factorisation, which leaves a
// block-tridiagonal system with 5 x 5 blocks on every line of the grid. Standard output is a function of class and rank
// count alone; times are in the summary.

#include "../common/program.hpp"
#include "../multipartition/benchmark.hpp"
#include "block_solver.hpp"
#include "problem.hpp"

namespace npb::bt {
namespace {

double operations(double n) { return 3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n; }

std::unique_ptr<multipartition::LineSolver> make_solver(const multipartition::Partition& partition,
                                                        const std::vector<multipartition::CellData>& cells, double dt) {
  return std::make_unique<BlockSolver>(partition, cells, dt);
}

int run(const Options& options, int rank, int ranks) {
  return multipartition::run_benchmark({.letters = "BT",
                                        .problems = kProblems,
                                        .primitives = multipartition::Primitives::kWithoutSound,
                                        .completion = multipartition::Sweep::Completion::kOneByOne,
                                        .make_solver = make_solver,
                                        .operations = operations,
                                        .prints_last_step = true},
                                       options, rank, ranks);
}

}  // namespace
}  // namespace npb::bt

int main(int argc, char** argv) {
  return npb::run_program(
      argc, argv,
      {.name = "bt",
       .what = "NAS Parallel Benchmark BT: block-tridiagonal systems, multi-partition. Ranks: a square.",
       .run = npb::bt::run});
}
