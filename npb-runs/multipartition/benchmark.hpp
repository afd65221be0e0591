// The course of SP and BT: they differ in their parameters and in how they solve the lines.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "../common/options.hpp"
#include "cell_data.hpp"
#include "line_solver.hpp"
#include "problem.hpp"
#include "residual.hpp"
#include "sweep.hpp"

namespace npb::multipartition {

struct Benchmark {
  const char* letters;
  std::span<const Problem> problems;  // one of each class
  Primitives primitives;              // what the solver needs
  Sweep::Completion completion;
  // A solver of the lines of cells. Its sweep along z ends with the addition of the increment to the solution.
  std::unique_ptr<LineSolver> (*make_solver)(const Partition& partition, const std::vector<CellData>& cells, double dt);
  double (*operations)(double n);  // floating-point operations of a step, as the suite counts them
  bool prints_last_step;
};

// As Program::run.
int run_benchmark(const Benchmark& benchmark, const Options& options, int rank, int ranks);

}  // namespace npb::multipartition
