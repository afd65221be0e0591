// detmpirun's command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job.hpp"
#include "programs.hpp"

namespace detmpi {

struct LaunchOptions {
  JobOptions job;
  bool exec_start = false;             // --start=exec
  bool start_given = false;            // --start
  std::optional<bool> ordered_output;  // not given: it depends on what standard output is
  std::vector<std::string> reports;    // --report: files for a deadlock's report
  bool huge_pages = true;              // --huge-pages=no
  bool print_digest = false;           // --digest
  int verify_runs = 0;                 // --verify; 0: not given
  uint64_t verify_seed = 1;            // of the disturbances
  int event_log = -1;                  // descriptor of a log for the ranks to fill; -1: none
  Environment environment;             // for all programs, before their own
  std::vector<Program> programs;       // at least one; of several all are started by exec
};

// Prints help, version or what is wrong, and exits, or returns the options.
LaunchOptions parse_command_line(int argc, char** argv);

}  // namespace detmpi
