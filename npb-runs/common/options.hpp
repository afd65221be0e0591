// Command line of a benchmark. Rank 0 reads it and broadcasts the outcome, so that all ranks agree on
// what to do even where only rank 0 sees the arguments, and so that messages appear once.
#pragma once

#include <string_view>

namespace npb {

struct Options {
  char problem_class = 'S';  // one of S W A B C
  bool summary = false;      // the summary with its times goes to standard output, not standard error
};

struct Command {
  Options options;
  bool run = false;   // false: there is nothing left to do but to finish with exit_code
  int exit_code = 0;  // meaningful when run is false
};

// Reads --class=X, --summary, --help and --version. Collective over MPI_COMM_WORLD; call it once,
// between MPI_Init and MPI_Finalize. `name` is the lower-case program name, `what` one line about it.
Command read_command_line(int argc, char** argv, std::string_view name, std::string_view what);

}  // namespace npb
