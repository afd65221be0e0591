// EP: generates Gaussian deviates and counts them by square annuli. The ranks meet in the final sums alone.
// Standard output is a function of class and rank count; times are in the summary.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "../common/problem.hpp"
#include "../common/program.hpp"
#include "../common/range.hpp"
#include "../common/report.hpp"
#include "gaussian.hpp"

namespace npb::ep {
namespace {

// What the ranks add up in the timed part. The counts travel as doubles, in which they are exact.
struct Totals {
  double sum_x = 0;
  double sum_y = 0;
  double counts[Problem::kAnnuli] = {};

  double accepted() const {
    double sum = 0;
    for (const double count : counts) sum += count;
    return sum;
  }
};

double sum_over_ranks(double value) {
  double sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

Totals combine(const Tally& tally) {
  Totals totals;
  totals.sum_x = sum_over_ranks(tally.sum_x);
  totals.sum_y = sum_over_ranks(tally.sum_y);
  double counts[Problem::kAnnuli];
  for (int annulus = 0; annulus < Problem::kAnnuli; ++annulus)
    counts[annulus] = static_cast<double>(tally.counts[annulus]);
  MPI_Allreduce(counts, totals.counts, Problem::kAnnuli, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return totals;
}

// A NaN compares false, so it does not verify.
bool agrees(double value, double expected) { return std::fabs((value - expected) / expected) <= Problem::kTolerance; }

// Both the sums of the suite's version 3.4 and what its later versions look at. Collective, as the sums of
// absolute values are not part of the timed work. All ranks return the same.
bool is_verified(const Totals& totals, const Tally& mine, const Problem& problem) {
  const double absolute_x = sum_over_ranks(mine.absolute_x);
  const double absolute_y = sum_over_ranks(mine.absolute_y);
  return agrees(totals.sum_x, problem.expected_sum_x) && agrees(totals.sum_y, problem.expected_sum_y) &&
         agrees(absolute_x, problem.expected_absolute_x) && agrees(absolute_y, problem.expected_absolute_y) &&
         agrees(totals.accepted(), problem.expected_accepted);
}

void print_totals(const Totals& totals, const Problem& problem) {
  std::printf("\n N = 2^%5d\n", problem.log_pairs);
  std::printf(" No. Gaussian pairs = %15.0f\n", totals.accepted());
  std::printf(" Sums = %25.15e %25.15e\n", totals.sum_x, totals.sum_y);
  std::printf(" Counts:\n");
  for (int annulus = 0; annulus < Problem::kAnnuli; ++annulus)
    std::printf("   %3d %15.0f\n", annulus, totals.counts[annulus]);
}

Summary describe(const Problem& problem, int ranks) {
  Summary summary;
  summary.benchmark = "EP";
  summary.problem_class = problem.problem_class;
  summary.size = std::to_string(problem.numbers());
  summary.operation = "Random numbers generated";
  summary.total_processes = summary.active_processes = ranks;
  return summary;
}

int run(const Options& options, int rank, int ranks) {
  const Problem& problem = *find_problem(kProblems, options.problem_class);
  if (ranks > problem.batches()) {
    if (rank == 0)
      std::fprintf(stderr, "ep: the number of ranks is %d, class %c allows 1 to %d\n", ranks, problem.problem_class,
                   problem.batches());
    return 1;
  }
  Summary summary = describe(problem, ranks);
  if (rank == 0) {
    print_heading(summary);
    std::fflush(stdout);
  }

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const Tally tally = tabulate(part_of(problem.batches(), ranks, rank));
  const Totals totals = combine(tally);
  summary.seconds = longest(MPI_Wtime() - start);

  summary.verified = is_verified(totals, tally, problem);
  if (rank == 0) {
    summary.mops = summary.seconds > 0 ? 1e-6 * static_cast<double>(problem.numbers()) / summary.seconds : 0;
    print_totals(totals, problem);
    print_outcome(summary, options);
  }
  return summary.verified ? 0 : 1;
}

}  // namespace
}  // namespace npb::ep

int main(int argc, char** argv) {
  return npb::run_program(argc, argv,
                          {.name = "ep",
                           .what = "NAS Parallel Benchmark EP: Gaussian deviates, without communication. Ranks: any "
                                   "number up to that of the batches of 2^16 pairs.",
                           .run = npb::ep::run});
}
