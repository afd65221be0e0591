// A job from its making to its end. One per process.
#pragma once

#include <csignal>

#include "options.hpp"

namespace detmpi {

// Makes the job, starts the program, watches over it. Returns the job's exit code. Messages on standard error. The
// signals that a monitor takes are held back before (hold_monitor_signals); `mask`: of signals, for the program.
int run_job(LaunchOptions options, const sigset_t& mask);

inline constexpr int kCannotStart = 127;  // exit code

}  // namespace detmpi
