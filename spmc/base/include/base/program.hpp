// The program that this process runs.
#pragma once

#include <string>

#include <base/result.hpp>

namespace spmc::base {

// Executes the same program again from its beginning: same arguments, same descriptors, same environment plus
// "variable=1". Output that stdio still buffers is lost, because the new run will write it again.
// Returns only when that failed. Not async-signal-safe.
Error execute_again(const char* variable);

// The program's file by its own name; by a link to it when that name is gone.
std::string own_file();

// True for a program that runs with more rights than its user (set-user-ID and the like).
bool runs_privileged();

}  // namespace spmc::base
