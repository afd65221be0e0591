// The end of what this process has started, and what that has: a shell dies with its parent, the other processes of its
// pipeline do not.
#pragma once

namespace spmc::base {

// The children that this process has now are no descendants in what follows: a shell has started them, and has become
// this program then, as `dmr ... > >(sort)` does in bash. Call it first in main.
void spare_present_children();

// Kills all descendants and waits for them; those that this process may not kill it leaves. All are stopped before the
// first is killed: none gets to see an input that ends early because its writer is gone, and takes it for the whole.
// For when no space is needed any more. Async-signal-safe.
void end_descendants();

// From now on SIGTERM, SIGINT and SIGHUP end them before this process dies of the signal; those that were ignored stay
// so. In a process that is forked from now on, they are as if nothing had been said.
void end_descendants_on_signals();

}  // namespace spmc::base
