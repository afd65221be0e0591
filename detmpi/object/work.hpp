// Work between calls, of programs compiled with --instrument (tools/instrument): the logical clock follows it.
//
// Instrumented code counts down what the thread was granted, and calls detmpi_work() when nothing is left. What was
// used up then advances the clock, which is published; so it does at the next MPI call. When work is taken makes no
// difference to the clock at the next call: what is less than a tick stays. A program that is not instrumented pays a
// comparison in each call.
//
// Not counted: work before MPI_Init and after MPI_Finalize, in processes that the rank forks, in signal handlers that
// instrumented code installs and that return, in parallel regions of OpenMP. Another thread's work counts when it calls
// MPI. Work inside a call, in the program's reduction operations and callbacks, counts at the next call; so does a
// handler that is left by a jump, with what comes behind it: from the jump nobody is told that it has ended.
#pragma once

#include <cstdint>

extern "C" {

// Units that the thread has left. Written by instrumented code, and here by the same thread.
extern __thread int64_t detmpi_work_left __attribute__((tls_model("initial-exec"), visibility("default")));

__attribute__((visibility("default"))) void detmpi_work(void);
}

namespace detmpi {

// Larger than everything granted: nothing is counted. tools/instrument/plugin.cpp writes it, too.
inline constexpr int64_t kWorkPaused = int64_t{1} << 62;

struct Work {
  int64_t granted = 0;     // since work was taken
  uint64_t remainder = 0;  // units, less than a tick
  bool publishes = false;  // the thread that owns the rank's clock also between calls
  // A signal handler runs that has added kWorkPaused to what is left; or was left by a jump, since the last MPI call.
  bool in_handler = false;
};
extern __thread Work g_work __attribute__((tls_model("initial-exec")));

// The calling thread is the rank's from now on. `alone`: no other thread will call MPI.
void work_begin(bool alone);

// What was printed before is in its file and marked when this returns: once the clock is published, a job that ends
// early may end here.
[[gnu::cold]] void work_advance_clock();

// The clock advances by the work since it last did.
inline void take_work() {
  if (detmpi_work_left != g_work.granted) work_advance_clock();
}

}  // namespace detmpi
