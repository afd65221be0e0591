// For end_names.c: C, because that is compiled into libraries that are not C++.
#pragma once

// Ends the process without what is done at the exit of a program. A rank stays first, and what it has printed is shown;
// not so other processes, such as those that it has forked.
#ifdef __cplusplus
extern "C" [[noreturn, gnu::visibility("default")]] void detmpi_leave_abruptly(int status);
#else
_Noreturn void detmpi_leave_abruptly(int status);
#endif

// Before the calling thread sends itself, or its process, this signal. If that ends it, a rank stays first, and what it
// has printed is shown; else nothing is done. Async-signal-safe.
#ifdef __cplusplus
extern "C" [[gnu::visibility("default")]] void detmpi_before_own_signal(int signal);
#else
void detmpi_before_own_signal(int signal);
#endif
