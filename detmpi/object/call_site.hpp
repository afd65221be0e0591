// Where in the program entry points were called, for what is told later. Set by the entry points.
#pragma once

#include <cstdint>

#include "../fortran/call_site.hpp"

namespace detmpi {

// Of the collective operation that this rank began last.
inline uintptr_t g_call_site = 0;
// Of the call that has sent last, or sends.
inline uintptr_t g_send_site = 0;

// `entry_returns_to`: the caller of the C function.
inline uintptr_t call_site(void* entry_returns_to) {
  const uintptr_t fortran = detmpi_fortran_call_site;
  return fortran != 0 ? fortran : reinterpret_cast<uintptr_t>(entry_returns_to);
}

}  // namespace detmpi
