// What this part of the library needs from the rest of it (engine and job); defined there.
#pragma once

namespace detmpi {

struct Comm;

// Ends the job: `code` becomes the exit code of the launcher, `why` is printed, if it is not null. Never returns.
[[noreturn]] void job_abort(int code, const char* why);

// The same for what several ranks may find out at once, in the same words: one of them says so.
[[noreturn]] void job_abort_together(int code, const char* line);

// The communicator's last reference is gone: gives back its transport (comm.transport).
void transport_release(Comm& comm);

}  // namespace detmpi
