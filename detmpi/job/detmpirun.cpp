// detmpirun: makes the job, starts the program, and ends as the job ended.
#include <base/check.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>
#include <spmc/segment.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "launch_monitor.hpp"
#include "options.hpp"

using detmpi::LaunchOptions;

namespace {

constexpr int kCannotStart = 127;

// In the child: becomes the program. `rank` < 0: fork start.
[[noreturn]] void become_program(const LaunchOptions& options, int rank, const sigset_t& mask) {
  spmc::base::restore_signal_mask(mask);
  const int fd = spmc::segment::descriptor();
  auto kept = spmc::base::keep_across_exec(fd);
  ::setenv(detmpi::kEnvSegment, std::to_string(fd).c_str(), 1);
  if (rank >= 0) ::setenv(detmpi::kEnvRank, std::to_string(rank).c_str(), 1);
  if (rank > 0) spmc::base::empty_standard_input();
  auto failed = kept ? spmc::base::execute(options.program[0], options.program) : kept;
  if (rank <= 0) std::fprintf(stderr, "detmpirun: %s: %s\n", options.program[0], failed.error().message().c_str());
  // The others leave it to rank 0 to say so: whoever ends first ends the job.
  if (rank > 0) spmc::base::sleep_ns(5'000'000'000);
  spmc::base::die(kCannotStart);
}

}  // namespace

int main(int argc, char** argv) {
  const LaunchOptions options = detmpi::parse_command_line(argc, argv);
  if (auto made = detmpi::job_create(options.job); !made) {
    std::fprintf(stderr, "detmpirun: %s\n", made.error().message().c_str());
    return 1;
  }
  (void)spmc::base::make_addresses_repeat();  // where it is forbidden, pointer values differ from run to run
  const sigset_t mask = detmpi::hold_monitor_signals();
  std::vector<int> pids;
  const int starts = options.exec_start ? options.job.ranks : 1;
  for (int i = 0; i < starts; ++i) {
    auto child = spmc::base::fork_tied();
    if (!child) {
      std::fprintf(stderr, "detmpirun: starting rank %d: %s\n", i, child.error().message().c_str());
      for (const int pid : pids) (void)spmc::base::send_signal(pid, SIGKILL);
      return 1;
    }
    if (child.value() == 0) become_program(options, options.exec_start ? i : -1, mask);
    pids.push_back(child.value());
  }
  spmc::base::empty_standard_input();
  return options.exec_start ? detmpi::monitor_ranks(pids, options.timeout_s)
                            : detmpi::monitor_program(pids[0], options.timeout_s);
}
