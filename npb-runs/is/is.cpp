// IS: ranks the keys of a distributed array ten times by a bucket sort. Standard output is a function of class and
// rank count alone; times are in the summary.

#include <mpi.h>

#include <bit>
#include <cstdio>
#include <string>

#include "../common/problem.hpp"
#include "../common/program.hpp"
#include "../common/report.hpp"
#include "ranking.hpp"

namespace npb::is {
namespace {

bool is_allowed(int ranks, const Problem& problem) {
  return std::has_single_bit(static_cast<unsigned>(ranks)) && ranks <= problem.most_ranks;
}

// Runs the timed iterations and returns how many tests this rank passed.
int run_iterations(Ranking& ranking, const Problem& problem, bool prints) {
  prints = prints && problem.problem_class != 'S';
  if (prints) std::printf("\n   iteration\n");
  int passed = 0;
  for (int iteration = 1; iteration <= Problem::kIterations; ++iteration) {
    if (prints) std::printf("        %d\n", iteration);
    passed += ranking.iterate(iteration);
  }
  return passed;
}

// The number of successes over all ranks. Unlike a sum on rank 0 alone, all ranks know it.
int sum_over_ranks(int value) {
  int sum = 0;
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return sum;
}

Summary describe(const Problem& problem, int ranks) {
  Summary summary;
  summary.benchmark = "IS";
  summary.problem_class = problem.problem_class;
  summary.size = std::to_string(problem.keys());
  summary.iterations = Problem::kIterations;
  summary.operation = "keys ranked";
  summary.total_processes = summary.active_processes = ranks;
  return summary;
}

int run(const Options& options, int rank, int ranks) {
  const Problem& problem = *find_problem(kProblems, options.problem_class);
  if (!is_allowed(ranks, problem)) {
    if (rank == 0)
      std::fprintf(stderr, "is: the number of ranks is %d, class %c needs a power of two, at most %d\n", ranks,
                   problem.problem_class, problem.most_ranks);
    return 1;
  }
  Summary summary = describe(problem, ranks);
  if (rank == 0) {
    print_heading(summary);
    std::fflush(stdout);
  }

  Ranking ranking(problem, rank, ranks);
  ranking.iterate(1);  // warm-up
  const double start = MPI_Wtime();
  const int passed_tests = run_iterations(ranking, problem, rank == 0);
  const double seconds = MPI_Wtime() - start;
  const bool in_order = ranking.is_in_order();
  summary.seconds = longest(seconds);

  const int passed = sum_over_ranks(passed_tests + in_order);
  const int needed = Problem::kTests * Problem::kIterations + ranks;
  summary.verified = passed == needed;
  if (rank == 0) {
    summary.mops = summary.seconds > 0 ? 1e-6 * Problem::kIterations * problem.keys() / summary.seconds : 0;
    std::printf("\n Checks passed: %d of %d\n", passed, needed);
    print_outcome(summary, options);
  }
  return summary.verified ? 0 : 1;
}

}  // namespace
}  // namespace npb::is

int main(int argc, char** argv) {
  return npb::run_program(argc, argv,
                          {.name = "is",
                           .what = "NAS Parallel Benchmark IS: integer sort. Ranks: a power of two, in class S at most "
                                   "128, otherwise 1024.",
                           .run = npb::is::run});
}
