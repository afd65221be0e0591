// detmpirun: makes the job, starts the program, and ends as the job ended.
#include <base/descendants.hpp>
#include <base/files.hpp>

#include "launch_monitor.hpp"
#include "options.hpp"
#include "own_session.hpp"
#include "run_job.hpp"
#include "verify.hpp"

int main(int argc, char** argv) {
  spmc::base::open_standard_files();
  spmc::base::spare_present_children();
  const detmpi::LaunchOptions options = detmpi::parse_command_line(argc, argv);
  return detmpi::in_own_session([&] {
    return options.verify_runs > 0 ? detmpi::verify(options) : detmpi::run_job(options, detmpi::hold_monitor_signals());
  });
}
