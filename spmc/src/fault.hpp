// SPMC page faults.
#pragma once

#include <base/result.hpp>

namespace spmc {

// Installs the SIGSEGV handler, on the signal stack that the program has, if that is large enough, or else on one of
// its own. Once per process; survives fork.
base::Status install_fault_handler();

}  // namespace spmc
