#include "report.hpp"

#include <mpi.h>

namespace npb {
namespace {

constexpr char kSuiteVersion[] = "3.4";

void put_text(std::FILE* out, const char* name, const std::string& value) {
  std::fprintf(out, " %-15s = %24s\n", name, value.c_str());
}

void put_count(std::FILE* out, const char* name, int value) { put_text(out, name, std::to_string(value)); }

void put_real(std::FILE* out, const char* name, double value) { std::fprintf(out, " %-15s = %24.2f\n", name, value); }

void print_summary(std::FILE* out, const Summary& summary) {
  std::fprintf(out, "\n %s Benchmark Completed\n", summary.benchmark.c_str());
  put_text(out, "Class", std::string(1, summary.problem_class));
  put_text(out, "Size", summary.size);
  put_count(out, "Iterations", summary.iterations);
  // More digits than the suite's two: the small classes end within hundredths of a second.
  std::fprintf(out, " %-15s = %24.6f\n", "Time in seconds", summary.seconds);
  put_count(out, "Total processes", summary.total_processes);
  put_count(out, "Active procs", summary.active_processes);
  put_real(out, "Mop/s total", summary.mops);
  put_real(out, "Mop/s/process", summary.mops / summary.total_processes);
  put_text(out, "Operation type", summary.operation);
  put_text(out, "Verification", summary.verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
  put_text(out, "Version", kSuiteVersion);
}

}  // namespace

double longest(double seconds) {
  double result = 0;
  MPI_Reduce(&seconds, &result, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return result;
}

void print_heading(const Summary& summary) {
  std::printf(" NAS Parallel Benchmarks %s -- %s Benchmark\n\n", kSuiteVersion, summary.benchmark.c_str());
  std::printf(" Size: %s (class %c)\n", summary.size.c_str(), summary.problem_class);
  std::printf(" Iterations: %d\n", summary.iterations);
  std::printf(" Number of processes: %d\n", summary.total_processes);
}

void print_outcome(const Summary& summary, const Options& options) {
  std::printf(" VERIFICATION %s\n", summary.verified ? "SUCCESSFUL" : "FAILED");
  print_summary(options.summary ? stdout : stderr, summary);
  std::fflush(stdout);
}

}  // namespace npb
