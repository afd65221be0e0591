// Learns at once, in the SIGCHLD handler, when a child of this space has ended: waits for its process, writes how it
// ended into its slot, and wakes everybody who waits for it or its descendants. What the dead space held is taken back
// later, by the parent's next call (see family.hpp).
//
// State: the shared slots whose parent is this space, and a few atomics of this process. The handler may interrupt the
// main program anywhere, also in here: whoever finds a pass running leaves a note to go round once more.
#pragma once

#include <space/table.hpp>

namespace space::collector {

// In the root and in every child at its start; forgets what was inherited.
void start();
// Before the process forks children: installs the handler, adopts orphans.
spmc::base::Status ensure_watching();
// Looks at one child itself, not only at signals: its status may have been taken by another wait() of the program.
void poll(spmc::SpaceId child);
// Looks at every child, where the program holds SIGCHLD back.
void poll_all();
// Kills the process of a child, unless that has ended: its number may be somebody else's by then.
void kill(spmc::SpaceId child);
// Collects ended children that are not the process of any space.
void reap_strangers();
bool is_process_of_space(pid_t pid);
// How many times the handler has run. Async-signal-safe.
uint32_t signals_seen();
// Puts the handler back where the program has replaced it.
void keep_watching();

}  // namespace space::collector
