// The unit of work. Shared with the compiler plugin (tools/instrument).
#pragma once

namespace detmpi {

// One tick of the logical clock stands for a microsecond. So many units, roughly simple statements of a program before
// it is vectorised, a present-day core does in that time. Fixed: the clock must be the same on every machine.
inline constexpr long kUnitsPerTick = 8192;

}  // namespace detmpi
