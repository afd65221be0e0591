#include "benchmark.hpp"

#include <mpi.h>

#include <cctype>
#include <cstdio>
#include <string>

#include "../common/problem.hpp"
#include "../common/report.hpp"
#include "flow.hpp"

namespace npb::multipartition {
namespace {

constexpr int kStepsBetweenLines = 20;

// Halos and sweeps have tags in common, so each has a communicator of its own.
class Communicator {
 public:
  Communicator() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~Communicator() { MPI_Comm_free(&comm_); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

Summary describe(const Benchmark& benchmark, const Problem& problem, int ranks) {
  const std::string n = std::to_string(problem.n);
  Summary summary;
  summary.benchmark = benchmark.letters;
  summary.problem_class = problem.problem_class;
  summary.size = n + " x " + n + " x " + n;
  summary.iterations = problem.steps;
  summary.total_processes = summary.active_processes = ranks;
  return summary;
}

int refuse(const Benchmark& benchmark, const Problem& problem, int rank, int ranks) {
  if (rank == 0)
    std::fprintf(stderr, "%c%c: the number of ranks is %d, it must be a square, and its root at most %d in class %c\n",
                 std::tolower(benchmark.letters[0]), std::tolower(benchmark.letters[1]), ranks,
                 problem.n / Partition::kMinCellSize, problem.problem_class);
  return 1;
}

void advance(Flow& flow, Sweep& sweep) {
  flow.compute_increment();
  for (const Axis axis : kAxes) sweep.run(axis);
}

void run_steps(const Benchmark& benchmark, const Problem& problem, Flow& flow, Sweep& sweep, bool prints) {
  for (int step = 1; step <= problem.steps; ++step) {
    const bool is_last = step == problem.steps;
    if (prints && (step == 1 || step % kStepsBetweenLines == 0 || (is_last && benchmark.prints_last_step)))
      std::printf(" Time step %4d\n", step);
    advance(flow, sweep);
  }
}

}  // namespace

int run_benchmark(const Benchmark& benchmark, const Options& options, int rank, int ranks) {
  const Problem& problem = *find_problem(benchmark.problems, options.problem_class);
  const auto partition = Partition::try_create(problem.n, ranks, rank);
  if (!partition) return refuse(benchmark, problem, rank, ranks);
  Summary summary = describe(benchmark, problem, ranks);
  if (rank == 0) {
    print_heading(summary);
    std::printf(" Time step: %g\n\n", problem.dt);
    std::fflush(stdout);
  }

  const Communicator halo_comm, sweep_comm;
  Flow flow(*partition, problem.dt, benchmark.primitives, halo_comm.get());
  const auto solver = benchmark.make_solver(*partition, flow.cells(), problem.dt);
  Sweep sweep(*partition, flow.cells(), *solver, benchmark.completion, sweep_comm.get());
  flow.initialise();
  advance(flow, sweep);  // warm-up
  flow.initialise();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run_steps(benchmark, problem, flow, sweep, rank == 0);
  summary.seconds = longest(MPI_Wtime() - start);

  const cfd::Norms norms = flow.norms();
  summary.verified = cfd::is_verified(norms, problem.expected);
  if (rank == 0) {
    const double operations = problem.steps * benchmark.operations(problem.n);
    summary.mops = summary.seconds > 0 ? 1e-6 * operations / summary.seconds : 0;
    cfd::print_comparison(problem.problem_class, norms, problem.expected);
    print_outcome(summary, options);
  }
  return summary.verified ? 0 : 1;
}

}  // namespace npb::multipartition
