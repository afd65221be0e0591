// One of the runs of detmpirun --verify: a job in a process of its own, disturbed from here, its output and its events
// kept.
#pragma once

#include <csignal>

#include <base/mapping.hpp>
#include <base/result.hpp>
#include <base/unique_fd.hpp>

#include "compare_runs.hpp"
#include "disturb.hpp"
#include "options.hpp"

namespace detmpi {

struct RunPlan {
  int number = 1;  // 1: the reference, in peace
  bool exec_start = false;
  Disturbance disturbance;
  uint64_t seed = 0;  // of the disturbance
};

class VerifyRun {
 public:
  // Runs it to its end. `input`: a file of memory, what the program reads from standard input. `mask`: of signals, for
  // the job; those that a monitor takes are held back here.
  static spmc::base::Result<VerifyRun> try_run(const LaunchOptions& options, const RunPlan& plan, int input,
                                               const sigset_t& mask);

  const RunPlan& plan() const { return plan_; }
  const RunOutcome& outcome() const { return outcome_; }
  double seconds() const { return seconds_; }
  unsigned stops() const { return stops_; }
  int stopped_by() const { return stopped_by_; }  // the signal by which detmpirun was asked to end; 0: none

 private:
  explicit VerifyRun(const RunPlan& plan) : plan_(plan) {}
  spmc::base::Status make_files(const LaunchOptions& options);
  [[noreturn]] void become_job(LaunchOptions options, int input, const sigset_t& mask);
  void watch(int pid);
  spmc::base::Status read_files();

  RunPlan plan_;
  RunOutcome outcome_;
  double seconds_ = 0;
  unsigned stops_ = 0;
  int stopped_by_ = 0;
  spmc::base::UniqueFd log_file_, output_file_, error_file_;
  spmc::base::Mapping log_;
};

}  // namespace detmpi
