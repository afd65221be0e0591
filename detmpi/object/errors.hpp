// Error codes and how they are raised.
//
// A code is a class (0 to 127) plus, above bit 8, the serial number of a message kept for MPI_Error_string
// (the last 64 of them). Classes and codes that a program makes are numbered from kFirstUserCode.
#pragma once

#include <mpi.h>

#include <string>

#include "call.hpp"

namespace detmpi {

struct Comm;

inline constexpr int kFirstUserCode = MPI_ERR_LASTCODE + 1;

// Makes an error code with a message in the manner of printf. Not for use in a signal handler.
[[gnu::format(printf, 2, 3), gnu::cold]] int make_error(int error_class, const char* format, ...);

// The same for an error that is not this rank's alone: whoever ends the job for it does so with that exit code, and the
// text tells all.
[[gnu::cold]] int make_job_error(int error_class, int exit_code, std::string text);

// MPI_ERR_IN_STATUS: of several requests the one at that place has failed first, with that code.
[[gnu::cold]] int make_error_in_status(int code, int place);

// The class of a code; the code itself where it is a class, MPI_ERR_UNKNOWN where it is neither.
int error_class_of(int code);

// The text of a code: its message if still kept, the text of its class otherwise.
std::string error_text(int code);

// Error classes, codes and texts of the program.
int add_error_class();
int add_error_code(int error_class);
bool set_error_text(int code, const char* text);  // false: not a code of the program's
int last_used_code();

// Calls the error handler of what g_call names (of MPI_COMM_WORLD if nothing) and returns the code, if the handler
// returns.
[[gnu::cold]] int raise_error(int code);

// The same, before the call has come to its end: returned by it, the code is not raised again.
[[gnu::cold]] int raise_error_early(int code);

// make_error and raise_error in one.
[[gnu::format(printf, 2, 3), gnu::cold]] int fail(int error_class, const char* format, ...);

// Failures that many entry points share.
[[gnu::cold]] int fail_not_running();
[[gnu::cold]] int fail_handle(int error_class, const char* parameter, int handle);
// `chapter`: of the function. Not `raised`: the code is returned without a call of an error handler. `first`: it is a
// function that programs begin with, not one of a window or file that they have. Many look at no error code, so where
// one is all they get, the first rank of the communicator says it, too: once for each such function.
[[gnu::cold]] int fail_unsupported(const char* chapter, bool raised, bool first);
// For messages about a rank that ends the job: what may be the reason. Empty: no such function was called.
[[gnu::cold]] std::string unsupported_text();
[[gnu::cold]] int fail_null(int error_class, const char* parameter);

// The end of every entry point.
inline int finish(int code) {
  if (code != MPI_SUCCESS) [[unlikely]]
    return raise_error(code);
  return MPI_SUCCESS;
}

}  // namespace detmpi
