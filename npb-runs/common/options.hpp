// Command line of a benchmark. Rank 0 reads it and broadcasts the outcome, so that all ranks agree on
// what to do even where only rank 0 sees the arguments, and so that messages appear once.
#pragma once

namespace npb {

struct Program;

struct Options {
  char problem_class = 'S';  // one of S W A B C
  bool summary = false;      // the summary with its times goes to standard output, not standard error
  bool wildcard = false;     // halos are received from MPI_ANY_SOURCE
};

struct Command {
  Options options;
  bool run = false;   // false: there is nothing left to do but to finish with exit_code
  int exit_code = 0;  // meaningful when run is false
};

// Reads --class=X, --summary, --help and --version, and --wildcard where the program has it. Collective over
// MPI_COMM_WORLD; call it once, between MPI_Init and MPI_Finalize.
Command read_command_line(int argc, char** argv, const Program& program);

}  // namespace npb
