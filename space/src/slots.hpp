// The transitions of a space's slot (see LifeState in space/table.hpp), each as one function.
#pragma once

#include <base/result.hpp>
#include <base/sys.hpp>
#include <space/table.hpp>

namespace space {

using spmc::SpaceId;

// kFree -> kReserved, lowest slot first. Error EAGAIN when all are in use.
spmc::base::Result<SpaceId> try_reserve(SpaceId parent);
// A step of the parent or of the space itself that keeps the process. False: the slot was not in `from`.
bool step(SpaceId id, LifeState from, LifeState to);
// kStarting -> kRunning by process `pid`. False: an ancestor has given this space up, so it must end without a trace.
bool claim(SpaceId id, pid_t pid);
// Parent: the process of a slot in kStarting, if that did not claim it yet.
void note_process(SpaceId id, pid_t pid);
// For the first process.
void claim_root(pid_t pid);

// any but kFree -> kEnded. `report` is null for a space that never had a process, or whose status somebody else took.
void mark_ended(SpaceId id, const spmc::base::ExitReport* report);
// The same for a space that has no process yet, only from the state `seen`. False: it moved meanwhile.
bool mark_ended_from(SpaceId id, const Life& seen);
// kReserved, kEnded -> kFree.
void release(SpaceId id);

inline uint32_t slot_count() { return spmc::segment::header().max_spaces; }
// Those that were ever reserved are below; to look at others would give them memory. Only grows, before a slot is
// reserved. Who reads a stale value misses slots only that were reserved since by others.
inline uint32_t slots_seen() { return spmc::segment::header().slots_seen.load(std::memory_order_acquire); }
// Slots in use, that of the caller too. Exact when nothing else allocates.
unsigned slots_in_use();

}  // namespace space
