// Who watches: over the ranks (their parent), or over the one process that will be the ranks' parent.
#pragma once

#include <csignal>
#include <functional>
#include <initializer_list>
#include <optional>

#include "deadlock.hpp"
#include "output_files.hpp"

namespace detmpi {

// The signals that a monitor takes by itself: that a process has ended, and those that it passes on.
inline constexpr std::initializer_list<int> kMonitorSignals = {SIGCHLD, SIGTERM, SIGINT, SIGHUP,
                                                               SIGQUIT, SIGUSR1, SIGUSR2};
// They are held back from now on; the mask that a rank needs is returned.
sigset_t hold_monitor_signals();

using ProgramName = std::function<const char*(int rank)>;

// Watches over the ranks, which are the children of this space. Returns the job's exit code when all have ended.
// `program`: what a rank is to become (exec start), for the message that it cannot; null: nothing. `output`: of the
// ranks, to be shown; nothing of it where a rank is known not to have become its program, which ends the job at once.
// `on_deadlock` is called at the end of a job that is in a deadlock; null: another process looks for deadlocks.
int monitor_ranks(ProgramName program, OutputFiles output, DeadlockHandler on_deadlock);

// Watches over a program that starts its ranks itself (fork start): passes signals on and its exit code back.
int monitor_program(int pid, DeadlockHandler on_deadlock);

// The lowest rank of which it is known that it could not become its program.
std::optional<int> first_not_started();

// Tells people that `program` was not started; `error` is an errno.
void tell_not_started(const char* program, int error);

inline constexpr int kTimeoutExit = 124;

}  // namespace detmpi
