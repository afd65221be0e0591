// A rank that fails: it calls MPI_Abort, has an error that nobody handles, crashes, or leaves without MPI_Finalize, be
// it by exit, _exit, quick_exit or a signal to itself.
//
// Which of several failures ends the job, and what the others have printed by then, is a matter of logical time, and to
// find out takes a moment (ending.hpp). So a rank that fails tells at what clock it does, and stays. It acts no more,
// but others may need it for what came before: it takes in messages, acknowledges them, and sends what found no room.
// Once it is told to it ends as it would have ended at once; or it is killed with the job, if another one has failed
// before.
#pragma once

#include <cstdint>

namespace detmpi {

// kAtWork: it does what is still to be done meanwhile. kStill: the engine may be in the middle of something.
enum class Stay : uint8_t { kAtWork, kStill };

// In the rank's process: returns when its failure is to end the job, or nobody waits for that (a job that is not
// watched over, --order=arrival, --grace=0, a second failure). Async-signal-safe in a process that has crashed: nothing
// else runs.
void stay_failed(Stay how);

// Whether this process is the rank's: one that the rank has forked is not. Async-signal-safe.
bool is_process_of_rank();

// Of a rank, from now on: it does not leave without having stayed.
void stay_at_exit();

// In the handler of a crash, when everything about it has been noted.
void stay_crashed();

}  // namespace detmpi
