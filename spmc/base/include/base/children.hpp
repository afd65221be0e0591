// What a parent needs to learn of the end of its children at any moment: SIGCHLD, a look at who has ended, orphans.
#pragma once

#include <sys/types.h>

#include <csignal>

#include <base/result.hpp>

namespace spmc::base {

// Runs on_end() in a signal handler whenever a child has ended, then whatever handler was installed before. Called
// again it takes the signal back from a handler that was installed since, and forwards to that one, which may call this
// one as the one before it. True: it has taken the signal. SA_RESTART, stopped children do not count. on_end must be
// async-signal-safe, as this is; errno is kept.
bool watch_children(void (*on_end)());
// Did the program, when the signal was taken from it last, ignore it or have SA_NOCLDWAIT? Then the system would have
// collected its children by itself. Async-signal-safe.
bool wants_no_zombies();

// Lets SIGCHLD through to this thread from now on.
void allow_child_signals();
// Lets SIGCHLD through to this thread while it lives. Async-signal-safe.
class ChildSignalsAllowed {
 public:
  ChildSignalsAllowed();
  ~ChildSignalsAllowed();
  ChildSignalsAllowed(const ChildSignalsAllowed&) = delete;
  ChildSignalsAllowed& operator=(const ChildSignalsAllowed&) = delete;

 private:
  sigset_t before_;
};

// Some child that has ended and was not waited for yet; it stays so. 0: none. Async-signal-safe.
pid_t peek_ended_child();

// From now on orphaned descendants become children of this process, so that it can wait for them.
Status adopt_orphans();

}  // namespace spmc::base
