// The space that this process is, seen from SPMC memory. One per process; single thread.
#pragma once

#include <base/result.hpp>
#include <spmc/frames.hpp>
#include <spmc/segment.hpp>
#include <spmc/types.hpp>

namespace spmc {

SpaceId current_space();

// In a process that a space has forked by itself, in place of starting a space: it is none. Costs a load.
// Async-signal-safe.
extern bool g_forked_by_itself;
inline bool forked_by_itself() { return g_forked_by_itself; }

// The frames of this space, also for the layers above. Only after set_current_space.
FramePool& frame_pool();

// Makes the job's segment and makes this process space 0. `mode` as in spmc_config. Errors as spmc_init.
// Installs the fault handler, which hands other crashes on to the handler that is there now, and a context
// hook that names the space in messages; a layer that knows more sets its own afterwards.
base::Status try_init(const SegmentConfig& config, int mode = -1, uint64_t window_bytes = 0);

// For a process that another one started by exec: makes it space `self` of the segment that it has just
// attached (segment::try_attach). Does for this process what try_init does. EEXIST when it is a space
// already.
base::Status try_join(SpaceId self);

}  // namespace spmc
