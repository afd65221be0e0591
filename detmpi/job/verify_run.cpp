#include "verify_run.hpp"

#include <base/cores.hpp>
#include <base/files.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "launch_monitor.hpp"
#include "run_job.hpp"

namespace detmpi {

using spmc::base::Status;

namespace {

// Two logs at a time take no more than a quarter of the memory.
constexpr uint64_t kShareOfMemory = 8;
constexpr uint64_t kMostRecords = uint64_t{1} << 26;

uint64_t records_per_rank(int ranks) {
  const uint64_t bytes = spmc::base::physical_memory_bytes() / kShareOfMemory;
  return std::min(bytes / static_cast<uint64_t>(ranks) / sizeof(EventRecord), kMostRecords);
}

spmc::base::Result<std::string> content(int file) {
  std::string text(DL_TRY(spmc::base::file_size(file)), '\0');
  for (size_t at = 0; at < text.size();) {
    const size_t n = DL_TRY(spmc::base::read_at(file, at, text.data() + at, text.size() - at));
    if (n == 0) break;
    at += n;
  }
  return text;
}

}  // namespace

spmc::base::Result<VerifyRun> VerifyRun::try_run(const LaunchOptions& options, const RunPlan& plan, int input,
                                                 const sigset_t& mask) {
  VerifyRun run(plan);
  DL_TRY_STATUS(run.make_files(options));
  const uint64_t begin = spmc::base::monotonic_ns();
  std::fflush(nullptr);
  std::optional<Load> load;
  if (plan.disturbance.load) load.emplace(spmc::base::usable_cores());
  const int pid = DL_TRY(spmc::base::fork_tied());
  if (pid == 0) run.become_job(options, input, mask);
  run.watch(pid);
  run.seconds_ = static_cast<double>(spmc::base::monotonic_ns() - begin) * 1e-9;
  DL_TRY_STATUS(run.read_files());
  return run;
}

Status VerifyRun::make_files(const LaunchOptions& options) {
  const auto ranks = static_cast<uint32_t>(options.job.ranks);
  const uint64_t room = records_per_rank(options.job.ranks);
  const size_t size = EventLog::size_for(ranks, room);
  log_file_ = DL_TRY(spmc::base::create_shared_file("event-log", size));
  log_ = DL_TRY(spmc::base::Mapping::try_shared(size, log_file_.get()));
  outcome_.log = EventLog(log_.base());
  outcome_.log.head().ranks = ranks;
  outcome_.log.head().room = room;
  outcome_.log.head().not_started = 1;  // until the job says that it was
  output_file_ = DL_TRY(spmc::base::create_append_file("output"));
  error_file_ = DL_TRY(spmc::base::create_append_file("errors"));
  return {};
}

// In the child: what detmpirun does without --verify.
void VerifyRun::become_job(LaunchOptions options, int input, const sigset_t& mask) {
  log_.reset();
  auto own_input = spmc::base::open_again(input);
  const bool ready = own_input && spmc::base::make_standard_input(own_input.value().get()) &&
                     spmc::base::make_standard_output(output_file_.get()) &&
                     spmc::base::make_standard_error(error_file_.get());
  if (!ready) {
    std::fputs("detmpirun: --verify: the standard files of a run cannot be replaced\n", stderr);
    std::exit(1);
  }
  if (plan_.disturbance.one_core) (void)spmc::base::pin_to_core(static_cast<unsigned>(plan_.seed));
  options.exec_start = plan_.exec_start;
  options.ordered_output = true;
  options.job.keep_digest = true;
  options.event_log = log_file_.get();
  if (plan_.number > 1) options.reports.clear();
  std::exit(run_job(std::move(options), mask));
}

void VerifyRun::watch(int pid) {
  Disturber disturber(plan_.disturbance, outcome_.log, plan_.seed);
  for (;;) {
    const uint64_t pause = disturber.step();
    const auto signal = spmc::base::wait_signal(kMonitorSignals, pause);
    const bool ends =
        signal.number != 0 && signal.number != SIGCHLD && signal.number != SIGUSR1 && signal.number != SIGUSR2;
    if (ends) {
      disturber.release();  // the ranks are to take the signal
      // The terminal has sent it to the job itself. Asked twice, the job does not wait for its ranks.
      if (signal.from_process || stopped_by_ != 0) (void)spmc::base::send_signal(pid, signal.number);
      stopped_by_ = signal.number;
    } else if (signal.number == SIGUSR1 || signal.number == SIGUSR2) {
      (void)spmc::base::send_signal(pid, signal.number);
    }
    auto report = spmc::base::wait_child(pid, spmc::base::WaitMode::kPoll);
    if (!report) {
      if (report.error().code == EINTR) continue;
      break;
    }
    if (report.value().pid == 0) continue;
    outcome_.code = report.value().signalled ? 128 + report.value().status : report.value().status;
    break;
  }
  stops_ = disturber.stops();
}

Status VerifyRun::read_files() {
  outcome_.output = DL_TRY(content(output_file_.get()));
  outcome_.errors = DL_TRY(content(error_file_.get()));
  output_file_.reset();
  error_file_.reset();
  log_file_.reset();
  return {};
}

}  // namespace detmpi
