// What the generated Fortran functions are made of: their names, and the conversion of arguments.
// Handles are integers in C and in Fortran, and keep their values; arguments come by reference.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>

#include "buffers.hpp"
#include "call_site.hpp"
#include "callbacks.hpp"
#include "names.hpp"
#include "sentinels.hpp"
#include "strings.hpp"

namespace detmpi::fortran {

// The error code may be left out in mpi_f08.
inline void give(MPI_Fint* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

// While a call lasts.
class CallSite {
 public:
  explicit CallSite(void* returns_to) { detmpi_fortran_call_site = reinterpret_cast<uintptr_t>(returns_to); }
  ~CallSite() { detmpi_fortran_call_site = 0; }
  CallSite(const CallSite&) = delete;
  CallSite& operator=(const CallSite&) = delete;
};

// Indices count from 1.
inline int index_from_one(int index) { return index == MPI_UNDEFINED ? index : index + 1; }

inline void indices_from_one(int count, int* indices) {
  for (int i = 0; i < count; ++i) ++indices[i];
}

}  // namespace detmpi::fortran
