// How the program uses MPI: by MPI_Init, by sessions, or both. The job begins with whichever comes first. It ends when
// MPI_Finalize has been called and no session is open; a program that has used sessions alone may open another one up
// to its exit, so there it ends at the exit.
#pragma once

#include <cstdint>

namespace detmpi {

// kBefore -> kRunning (MPI_Init) -> kAfter (MPI_Finalize).
enum class WorldModel : uint8_t { kBefore, kRunning, kAfter };

inline WorldModel g_world_model = WorldModel::kBefore;

// Makes this process a rank of the job, which is not running yet. `required`: thread level; one that there is not, or
// is not provided, becomes the nearest that is.
void job_begin(int required);

// Communication completes; waits for all ranks. No call follows that needs the job. Returns the code of an error that
// showed only here, and that was raised.
int job_end();

// For the monitor, which tells what was missing if the rank ends now: after every change of the world model and of the
// open sessions.
void note_open_session();

// The thread level that the job runs with, and its name.
int thread_level();
const char* thread_level_name(int level);

}  // namespace detmpi
