// For the layers above: which space this is, and what it is to do when children start.
#pragma once

#include <sys/types.h>

#include <base/result.hpp>
#include <spmc/types.hpp>

namespace space {

bool initialised();
// The slot of this space. Async-signal-safe.
spmc::SpaceId self();
// The slot of a child of this space by its internal ID. Error ESRCH.
spmc::base::Result<spmc::SpaceId> child_slot(int sid);
// For a parent that asks alive() again and again in place of waiting: notices the end of the child also where the
// program blocks, ignores or steals SIGCHLD. Some system calls; does not block.
void look_at_child(int sid);
// A number unique to this space among all that ever lived in this program (64-bit hash of its path): for IDs that two
// spaces make up at the same time.
uint64_t path_hash();

// Called in the parent for each child that is started: `before` just before it is forked, which may fail then; `after`
// when it has been.
void set_start_hooks(void (*before)(spmc::SpaceId child), void (*after)(spmc::SpaceId child));

// Makes this process the root space of the segment that it has made or joined (spmc::try_init, spmc::try_join). For
// launchers: does what space_init does, but never executes the program again.
// Error EEXIST when this process is a space already.
spmc::base::Status try_take_root();

// Starts the child `sid` as space_start does, but returns twice, as fork: the process in the parent, 0 in the child,
// which goes on with a copy of the caller's memory and may end by exit or be replaced by exec. Nothing handles SIGCHLD
// for the caller: it is to hold that signal and ask next_ended_child. The wait policy stays as it is, on both sides.
// Errors as space_start.
spmc::base::Result<pid_t> try_fork_child(int sid);

// Sends a signal to a child started by try_fork_child, unless next_ended_child has seen its end.
void signal_child(int sid, int signal);

// For a monitor that waits for signals itself: the internal ID of a child whose process has ended and that was not
// joined yet, 0 if there is none. Does not block; the answer depends on timing.
int next_ended_child();

// For a monitor, which has no children but spaces: it inherits what its descendants leave behind (orphans), and
// collects here the ended ones that are no spaces. To be called after next_ended_child has answered 0, at each SIGCHLD.
// Does not block.
void reap_strangers();

// The program of this space was replaced by exec: `fd` is the segment's descriptor and `slot` this space, both handed
// on by the function that space_start ran. Makes this process the space again, in place of space_init; or one that the
// space's process has started, as a script does: the space then ends with the script. SPMC regions are
// as handed over at start. Errors: EINVAL not the slot of this process; those of segment::try_attach.
spmc::base::Status try_resume_after_exec(int fd, spmc::SpaceId slot);

}  // namespace space
