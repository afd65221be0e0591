// Becoming a space, and ending as one.
#pragma once

#include <base/result.hpp>

#include "family.hpp"

namespace space {

spmc::base::Status try_become_root(int nspaces);
// As try_fork_child: twice.
spmc::base::Result<pid_t> try_fork(Child& child);
spmc::base::Status try_start(Child& child, int (*fn)(void*), void* arg);
// Flushes stdio, kills the children, and ends the process without exit handlers.
[[noreturn]] void end_space(int status);
void flush_output();

}  // namespace space
