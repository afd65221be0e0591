// The lines that every benchmark prints around its own output. Rank 0 alone calls the functions that print.
// Whatever depends on time is in the summary only, so that a run's standard output repeats byte for byte.
#pragma once

#include <cstdio>
#include <string>

#include "options.hpp"

namespace npb {

struct Summary {
  std::string benchmark;  // two letters
  char problem_class = 'S';
  std::string size;
  int iterations = 0;
  double seconds = 0;
  int total_processes = 0;
  int active_processes = 0;
  double mops = 0;  // million operations per second, all ranks together
  std::string operation = "floating point";
  bool verified = false;
};

// The time of the slowest rank, on rank 0. Collective over MPI_COMM_WORLD.
double longest(double seconds);

// The heading before the run. `size` is what the summary will call Size.
void print_heading(const Summary& summary);

// One outcome line on standard output; the whole summary on standard error, or with options.summary on
// standard output. Flushes.
void print_outcome(const Summary& summary, const Options& options);

}  // namespace npb
