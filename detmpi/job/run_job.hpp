// A job from its making to its end. One per process.
#pragma once

#include "options.hpp"

namespace detmpi {

// Makes the job, starts the program, watches over it. Returns the job's exit code. Messages on standard error.
int run_job(LaunchOptions options);

inline constexpr int kCannotStart = 127;  // exit code

}  // namespace detmpi
