// A job in a session of its own.
#pragma once

#include <functional>

namespace detmpi {

// Runs `job`, in a child process with a session of its own where that pays, and returns its exit code. Meanwhile this
// process passes signals on, and stops and continues all with itself; if it is killed, so is the child.
//
// It pays where the kernel shares out the cores among sessions: ranks that wait for each other yield, and if other
// programs of the same session want the cores, each yield costs as long as these then run. 8 ranks on 2 cores beside
// two loops: an MPI_Scan of 8 bytes takes 250 us in their session, 3 in one of its own.
//
// Not where standard input is a terminal: who reads from one must belong to its session, to be stopped when it is in
// the background.
int in_own_session(const std::function<int()>& job);

}  // namespace detmpi
