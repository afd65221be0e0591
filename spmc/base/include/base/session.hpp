// Sessions. Where the kernel shares out the cores among sessions first (CONFIG_SCHED_AUTOGROUP), and only then among
// the processes of each, a yield passes the core on within the session alone.
#pragma once

#include <sys/types.h>

#include <base/result.hpp>

namespace spmc::base {

bool cores_go_by_session();
bool leads_session();  // this process
// This process, which leads no group, leaves its session for a new one without a terminal. The niceness that it has
// among the processes of the old one the new one has among sessions.
Status begin_session();
// To all processes of the group that `leader` leads.
Status signal_group(pid_t leader, int signal);
void stop_here();  // until SIGCONT

}  // namespace spmc::base
