// SPMC page faults.
#pragma once

#include <base/result.hpp>

namespace spmc {

// Installs the SIGSEGV handler, on a stack of its own. Once per process; survives fork.
base::Status install_fault_handler();

}  // namespace spmc
