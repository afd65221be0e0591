// For messages about collective operations.
#pragma once

#include <cstdint>

namespace detmpi {

// Where the program has called the collective operation that this rank began last; set by the entry points.
inline uintptr_t g_call_site = 0;

}  // namespace detmpi
