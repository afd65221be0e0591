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

// Where the call by a profiling name that begins was made; else null. Of the rank's one MPI thread.
inline void* g_profiling_call = nullptr;

// While a call lasts. `returns_to`: where it was made, if not by a profiling name.
class Call {
 public:
  explicit Call(void* returns_to) : profiling_(g_profiling_call != nullptr) {
    detmpi_fortran_call_site = reinterpret_cast<uintptr_t>(profiling_ ? g_profiling_call : returns_to);
    g_profiling_call = nullptr;
  }
  ~Call() { detmpi_fortran_call_site = 0; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The function of C under the name that is like the one that was called.
  template <class Function>
  Function* of(Function* usual, Function* profiling) const {
    return profiling_ ? profiling : usual;
  }

 private:
  const bool profiling_;
};

#define DETMPI_CALL(name) call.of(MPI_##name, PMPI_##name)

// Indices count from 1.
inline int index_from_one(int index) { return index == MPI_UNDEFINED ? index : index + 1; }

inline void indices_from_one(int count, int* indices) {
  for (int i = 0; i < count; ++i) ++indices[i];
}

}  // namespace detmpi::fortran
