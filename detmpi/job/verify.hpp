// detmpirun --verify: runs the program several times, the first time in peace, then disturbed in different ways and
// started in both ways, and compares what ranks did, were told and printed.
#pragma once

#include "options.hpp"

namespace detmpi {

inline constexpr int kDifferExit = 123;  // exit code where runs differ

// Returns the exit code of detmpirun: that of the program if all runs are the same.
int verify(const LaunchOptions& options);

}  // namespace detmpi
