// _exit and _Exit, and what sends a signal to the caller itself, for the whole process: a rank that ends so stays like
// others that fail (failure.hpp). In each library that a program of DetMPI's may be linked with, as malloc_names.c is.
// Calls of the C library's own, as at the end of exit, do not come here. Async-signal-safe, as they must be.
#include "end_names.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

// Who comes next, as a rule the C library; nobody does where that comes first, and then no call comes here. Found at
// the first call, which MPI_Init makes (stay_at_exit), since a handler may not look for it.
static int (*next_kill)(pid_t, int);
static int (*next_pthread_kill)(pthread_t, int);
static void find_next(void) {
  if (next_kill != NULL) return;
  next_pthread_kill = __extension__(int (*)(pthread_t, int)) dlsym(RTLD_NEXT, "pthread_kill");
  next_kill = __extension__(int (*)(pid_t, int)) dlsym(RTLD_NEXT, "kill");
}

EXPORTED _Noreturn void _exit(int status) { detmpi_leave_abruptly(status); }
EXPORTED _Noreturn void _Exit(int status) { detmpi_leave_abruptly(status); }

EXPORTED int kill(pid_t process, int signal) {
  find_next();
  if (process == getpid()) detmpi_before_own_signal(signal);
  return next_kill(process, signal);
}

EXPORTED int pthread_kill(pthread_t thread, int signal) {
  find_next();
  if (pthread_equal(thread, pthread_self())) detmpi_before_own_signal(signal);
  return next_pthread_kill(thread, signal);
}

EXPORTED int raise(int signal) {
  const int error = pthread_kill(pthread_self(), signal);
  if (error == 0) return 0;
  errno = error;
  return -1;
}
