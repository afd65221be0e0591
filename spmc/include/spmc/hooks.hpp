// Where SPMC memory meets the layer that runs spaces as processes. SPMC knows space numbers only; these calls
// tell it when one starts and ends. All are for the space layer alone, and none blocks.
#pragma once

#include <spmc/types.hpp>

namespace spmc {

// Names the space that this process is. Gives it a fresh pool of frames: one inherited by fork belongs to the
// parent. Call before anything else of this layer, in the first space and in every child.
void set_current_space(SpaceId self);

// In a child, after the fork and set_current_space: takes away the access to SPMC memory that came with the
// fork; what the parent handed over (spmcR_transown, spmcR_copycons) is there.
void on_space_start(SpaceId self);

// In the parent, once per space whose process has ended, also for the descendants of a dead child (the
// deepest first): gives up its regions, wakes who waited for it, and makes `heir` (the caller) the owner of
// its frames. Idempotent: being killed within it is repaired by the next reap of the same space.
void reap(SpaceId dead, SpaceId heir);

// Wakes every space that waits for something of `ended`. Async-signal-safe: a SIGCHLD handler may call it as
// soon as the alive hook answers false, so that waiters end before the parent comes to reap.
void announce_end(SpaceId ended);

// Has the process of this space not ended yet? True also for a space that has not been started. Must be
// async-signal-safe: it is asked while waiting in a fault. Without a hook every space counts as alive.
void set_alive_hook(bool (*alive)(SpaceId));

// How a program names its children in spmcR_transown and spmcR_copycons: `resolve` turns the number that
// space_alloc gave into the child's SpaceId. It answers 0, or the errno to report: ESRCH for no child of the
// caller, EBUSY for one that runs now (neither not yet started nor stopped). Without a hook the number is the
// SpaceId, and every space is accepted.
void set_child_hook(int (*resolve)(int child, SpaceId* id));

// Runs in this space before a wait of this layer that lasts, in a moment when SIGCHLD is let through, as it is during
// the rest of the wait: so that ends of its children are noticed, for which it may wait. Null, as at first: nothing is
// to be done, and SIGCHLD stays as it is. Must be async-signal-safe: a fault may wait.
void set_long_wait_hook(void (*hook)());

}  // namespace spmc
