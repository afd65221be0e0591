// For messages about collective operations.
#pragma once

#include <cstdint>

#include "../fortran/call_site.hpp"

namespace detmpi {

// Where the program has called the collective operation that this rank began last; set by the entry points.
inline uintptr_t g_call_site = 0;

// `entry_returns_to`: the caller of the C function.
inline void note_call_site(void* entry_returns_to) {
  const uintptr_t fortran = detmpi_fortran_call_site;
  g_call_site = fortran != 0 ? fortran : reinterpret_cast<uintptr_t>(entry_returns_to);
}

}  // namespace detmpi
