// _exit and _Exit for the whole process: a rank that ends so stays like others that fail (failure.hpp). In each library
// that a program of DetMPI's may be linked with, as malloc_names.c is. Calls of the C library's own, as at the end of
// exit, do not come here. Async-signal-safe, as they must be.
#include "exit_names.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED _Noreturn void _exit(int status) { detmpi_leave_abruptly(status); }
EXPORTED _Noreturn void _Exit(int status) { detmpi_leave_abruptly(status); }
