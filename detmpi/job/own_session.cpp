#include "own_session.hpp"

#include <base/check.hpp>
#include <base/children.hpp>
#include <base/descendants.hpp>
#include <base/files.hpp>
#include <base/session.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>

#include <csignal>
#include <cstdlib>

namespace detmpi {
namespace {

constexpr int kStandardInput = 0;
constexpr std::initializer_list<int> kSignals = {SIGCHLD, SIGTERM, SIGINT,  SIGHUP, SIGQUIT,
                                                 SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

bool pays() {
  return !spmc::base::is_terminal(kStandardInput) && !spmc::base::leads_session() && spmc::base::cores_go_by_session();
}

// What its end means for this process; -1 while it runs.
int exit_code_of(int child) {
  auto waited = spmc::base::wait_child(child, spmc::base::WaitMode::kPoll);
  if (!waited) {
    spmc::base::complain("%s", waited.error().message().c_str());
    return 1;
  }
  const spmc::base::ExitReport report = waited.value();
  if (report.pid == 0) return -1;
  if (!report.signalled) return report.status;
  spmc::base::complain("the job's process %d died of signal %d (%s)", child, report.status,
                       spmc::base::signal_name(report.status));
  return 128 + report.status;
}

void pass_on(int child, int signal) {
  switch (signal) {
    case SIGTSTP: (void)spmc::base::signal_group(child, SIGSTOP); return spmc::base::stop_here();
    case SIGCONT: (void)spmc::base::signal_group(child, SIGCONT); return;
    default: (void)spmc::base::send_signal(child, signal);
  }
}

}  // namespace

int in_own_session(const std::function<int()>& job) {
  if (!pays()) return job();
  const sigset_t mask = spmc::base::hold_signals(kSignals);
  (void)spmc::base::adopt_orphans();
  auto forked = spmc::base::fork_tied();
  if (!forked) {  // its own session is not worth an error
    spmc::base::restore_signal_mask(mask);
    return job();
  }
  const int child = forked.value();
  if (child == 0) {
    (void)spmc::base::begin_session();
    spmc::base::restore_signal_mask(mask);
    std::exit(job());
  }
  spmc::base::empty_standard_input();
  for (;;) {
    const auto signal = spmc::base::wait_signal(kSignals, 0);
    if (signal.number != SIGCHLD) {
      pass_on(child, signal.number);
    } else if (const int code = exit_code_of(child); code >= 0) {
      spmc::base::end_descendants();  // what ranks have started, if the child was killed before it did that
      return code;
    }
  }
}

}  // namespace detmpi
