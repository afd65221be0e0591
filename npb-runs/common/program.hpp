// The frame around every benchmark: MPI starts, the command line is read, the benchmark runs, MPI ends.
#pragma once

#include "options.hpp"

namespace npb {

struct Program {
  const char* name;           // of the executable: the benchmark's letters, lower case
  const char* what;           // one line: the benchmark's full name and what it does, which rank counts it takes
  bool has_wildcard = false;  // whether it knows --wildcard
  // Runs over MPI_COMM_WORLD, all ranks. The same exit code on every rank: 0 verified, 1 not verified or not
  // runnable on so many ranks, after a message by rank 0.
  int (*run)(const Options& options, int rank, int ranks);
};

// All of main. Returns the exit code.
int run_program(int argc, char** argv, const Program& program);

}  // namespace npb
