// detmpirun's command line.
#pragma once

#include <string>
#include <vector>

#include "job.hpp"

namespace detmpi {

struct LaunchOptions {
  JobOptions job;
  bool exec_start = false;           // --start=exec
  double timeout_s = 0;              // --timeout: 0 is none
  std::vector<std::string> reports;  // --report: files for a deadlock's report
  char** program = nullptr;          // and its arguments, null-terminated
};

// Prints help, version or what is wrong, and exits, or returns the options.
LaunchOptions parse_command_line(int argc, char** argv);

}  // namespace detmpi
