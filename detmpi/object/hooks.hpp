// What this part of the library needs from the rest of it (engine and job); defined there.
#pragma once

#include <string>

namespace detmpi {

struct Comm;

// Ends the job, unless another rank does so first: then `code` becomes the exit code of the launcher, and `line`, with
// its end, is printed. `in_engine`: it has come to this in the middle of something. Never returns.
[[noreturn]] void job_abort(int code, const char* line, bool in_engine = false);
// The same for an error of a call: printed is `text`, and where in the program the call is.
[[noreturn]] void job_abort_in_call(int code, const std::string& text);
// The same where collective operations do not match: `text` says how, also in the report (detmpirun --report).
[[noreturn]] void job_abort_mismatch(int code, const std::string& text);

// The communicator's last reference is gone: gives back its transport (comm.transport), and drops its messages.
void transport_release(Comm& comm);

}  // namespace detmpi
