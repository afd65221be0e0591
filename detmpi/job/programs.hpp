// What a job runs: one program on all ranks, or several, each on some of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace detmpi {

// Names and values of variables to be set.
using Environment = std::vector<std::pair<std::string, std::string>>;

struct Program {
  int ranks = 1;
  std::vector<char*> arguments;  // its name first; a null pointer behind the last
  std::string folder;            // in which it runs; "": that of detmpirun
  Environment environment;

  const char* name() const { return arguments[0]; }
};

// The words of a command line, cut at each ":" that is a word by itself. Each part begins with the first word, which
// names the command, and ends with a null pointer, as getopt wants it.
std::vector<std::vector<char*>> split_at_colons(int argc, char** argv);

// The number of the program that a rank runs, counted from 0: they have the ranks in their order.
size_t program_of_rank(const std::vector<Program>& programs, int rank);

void set(const Environment& environment);

}  // namespace detmpi
