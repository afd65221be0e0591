// What all mappers have for one reducer, as sorted runs.
#pragma once

#include "merge.hpp"
#include "worker.hpp"

namespace dmr {

// A mapper failed, or was ended.
class MapperGone {};

// Takes in the shares of all mappers for the reducer, and adds them to the merger. Blocks. Throws MapperGone, JobError.
void take_in(const Plan& plan, uint32_t reducer, Merger& merger);

}  // namespace dmr
