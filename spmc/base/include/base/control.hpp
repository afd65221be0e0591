// What one process may do to the timing of another: stop it, move it to other cores, lower its priority.
// As the wrappers of base/sys.hpp; they fail where the system does not allow it.
#pragma once

#include <sys/types.h>

#include <vector>

#include <base/result.hpp>
#include <base/unique_fd.hpp>

namespace spmc::base {

// A handle on a running process, which never means another one that has got its number since.
Result<UniqueFd> open_process(pid_t pid);
// SIGSTOP, SIGCONT, ... Error ESRCH when it has ended.
Status signal_process(const UniqueFd& process, int signal);

// It runs on these cores only.
Status set_cores(pid_t pid, const std::vector<int>& cores);
// 0 to 19: the higher, the less it gets.
Status set_niceness(pid_t pid, int niceness);

// Batch scheduling of the calling process and those that it forks: when it wakes up it takes no core from others that
// run, so that cores are handed over less often. Only a process of the usual policy has it.
bool has_batch_scheduling();
void set_batch_scheduling(bool batch);

}  // namespace spmc::base
