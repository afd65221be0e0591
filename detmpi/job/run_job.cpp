#include "run_job.hpp"

#include <base/check.hpp>
#include <base/children.hpp>
#include <base/descendants.hpp>
#include <base/files.hpp>
#include <base/mapping.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>
#include <space/hooks.hpp>
#include <spmc/segment.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../engine/event_log.hpp"
#include "../object/fold_digest.hpp"
#include "launch_monitor.hpp"
#include "line_by_line.hpp"
#include "malloc_first.hpp"
#include "mpich_names.hpp"
#include "report.hpp"

namespace detmpi {
namespace {

constexpr int kStandardOutput = 1;
constexpr int kStandardError = 2;
constexpr uint64_t kStartNs = 5'000'000'000;  // for ranks to become their programs: signals are held meanwhile

// detmpirun may have been started by a rank of another job, or by a script that is one.
void forget_other_job() {
  for (const char* name : {kEnvSegment, kEnvRank, kEnvProgram, kEnvOutput, kEnvEvents}) ::unsetenv(name);
}

// In the child: becomes the program. `rank` < 0: fork start.
[[noreturn]] void become_program(const LaunchOptions& options, int rank, const sigset_t& mask,
                                 RankOutputFiles files = {}) {
  spmc::base::restore_signal_mask(mask);
  if (!options.huge_pages) spmc::base::forbid_huge_pages();
  forget_other_job();
  if (files.captured()) hand_on_output(files);
  const int fd = spmc::segment::descriptor();
  auto kept = spmc::base::keep_across_exec(fd);
  if (kept && options.event_log >= 0) {
    kept = spmc::base::keep_across_exec(options.event_log);
    ::setenv(kEnvEvents, std::to_string(options.event_log).c_str(), 1);
  }
  const size_t number = rank < 0 ? 0 : program_of_rank(options.programs, rank);
  const Program& program = options.programs[number];
  set(options.environment);
  set(program.environment);
  ::setenv(kEnvSegment, std::to_string(fd).c_str(), 1);
  if (rank >= 0) ::setenv(kEnvRank, std::to_string(rank).c_str(), 1);
  ::setenv(kEnvProgram, (std::to_string(number) + "," + std::to_string(program.ranks)).c_str(), 1);
  if (kept && !program.folder.empty()) kept = spmc::base::change_folder(program.folder.c_str());
  offer_mpich_names();
  put_malloc_first(program.name());
  ask_for_lines();
  if (rank > 0) spmc::base::empty_standard_input();
  auto failed = kept ? spmc::base::execute(program.name(), program.arguments.data()) : kept;
  const int error = failed.error().code;
  rank_record(std::max(rank, 0)).start_error.store(error, std::memory_order_relaxed);
  if (rank < 0) tell_not_started(program.name(), error);  // else the monitor tells, once
  spmc::base::die(kCannotStart);
}

[[noreturn]] void cannot_start(const char* what, const spmc::base::Error& error) {
  std::fprintf(stderr, "detmpirun: %s: %s\n", what, error.message().c_str());
  std::exit(1);  // what has been started dies with this process
}

DeadlockHandler reporter(const LaunchOptions& options) {
  return [&options](const Deadlock& deadlock) { report_deadlock(deadlock, options.reports); };
}

// Exec start: this process is the ranks' parent and the root space. Each rank has the pipe until it has become its
// program, or has failed to: before that is known nothing of the job is shown.
int run_ranks(const LaunchOptions& options, const sigset_t& mask) {
  g_job->monitor.store(g_job->launcher, std::memory_order_relaxed);
  if (auto root = space::try_take_root(); !root) cannot_start("becoming the root space", root.error());
  if (auto all = job_alloc_ranks(); !all) cannot_start("starting the ranks", all.error());
  auto started = spmc::base::create_pipe();
  if (!started) cannot_start("starting the ranks", started.error());
  auto output = OutputFiles::try_create();
  if (!output) cannot_start("capturing the ranks' output", output.error());
  for (int rank = 0; rank < options.job.ranks; ++rank) {
    if (auto added = output.value().try_add(); !added) cannot_start("capturing the ranks' output", added.error());
    auto child = space::try_fork_child(child_of_rank(rank));
    if (!child) cannot_start("starting the ranks", child.error());
    if (child.value() == 0) {
      auto files = output.value().try_enter();
      if (!files) cannot_start("capturing the ranks' output", files.error());
      become_program(options, rank, mask, files.value());
    }
    rank_record(rank).pid.store(child.value(), std::memory_order_relaxed);
  }
  spmc::base::empty_standard_input();
  started.value().write_end.reset();
  (void)spmc::base::wait_for_hang_up(started.value().read_end.get(), kStartNs);
  started.value().read_end.reset();
  const auto name_of_program = [&](int rank) {
    return options.programs[program_of_rank(options.programs, rank)].name();
  };
  return monitor_ranks(name_of_program, std::move(output).value(), reporter(options));
}

// Fork start: the program's first process will be both.
int run_program(const LaunchOptions& options, const sigset_t& mask) {
  (void)spmc::base::adopt_orphans();  // a script may end before the monitor that it has started
  auto child = spmc::base::fork_tied();
  if (!child) cannot_start("starting the program", child.error());
  if (child.value() == 0) become_program(options, -1, mask);
  spmc::base::empty_standard_input();
  return monitor_program(child.value(), reporter(options));
}

unsigned long digest_of_job() {
  uint64_t digest = 0;
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    digest = fold_digest(digest, rank_record(rank).digest);
  }
  return digest;
}

int with_leaks(int code) {
  return code == 0 && g_job->leaks_told.load(std::memory_order_relaxed) != 0 ? kLeaksExit : code;
}

bool ended_early() { return g_job->ending.load() != 0; }

// A program may end with that code by itself.
bool timed_out(int code) {
  return code == kTimeoutExit && ended_early() && g_job->end_ns != 0 && spmc::base::monotonic_ns() >= g_job->end_ns;
}

// For whoever reads the log.
void log_end(int event_log, int code) {
  auto heads = spmc::base::Mapping::try_shared(EventLog::heads_size(g_job->ranks), event_log);
  if (!heads) return;
  EventLogHead& head = EventLog(heads.value().base()).head();
  head.digest = digest_of_job();
  head.early = ended_early();
  head.even = !ended_early() || g_job->even_end.load() != 0;
  head.not_started = first_not_started().has_value();
  head.timed_out = timed_out(code);
}

// How far ranks had come that were ended with the job depends on timing.
void print_digest() {
  if (ended_early()) std::fputs("detmpirun: no digest, as the job ended early\n", stderr);
  else std::fprintf(stderr, "detmpirun: digest %016lx\n", digest_of_job());
}

}  // namespace

int run_job(LaunchOptions options, const sigset_t& mask) {
  // In the order of arrival the clocks say nothing about cause and effect.
  JobOptions& job = options.job;
  job.order_output = options.ordered_output.value_or(!job.first_come && !spmc::base::is_terminal(kStandardOutput));
  job.with_errors = job.label_output || (job.order_output && !spmc::base::is_terminal(kStandardError));
  if (auto made = job_create(options.job); !made) {
    std::fprintf(stderr, "detmpirun: %s\n", made.error().message().c_str());
    return 1;
  }
  (void)spmc::base::make_addresses_repeat();  // where it is forbidden, pointer values differ from run to run
  const int code = with_leaks(options.exec_start ? run_ranks(options, mask) : run_program(options, mask));
  spmc::base::end_descendants();  // what the ranks have started, and left behind
  if (options.print_digest) print_digest();
  if (options.event_log >= 0) log_end(options.event_log, code);
  return code;
}

}  // namespace detmpi
