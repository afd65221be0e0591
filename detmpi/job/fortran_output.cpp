#include "fortran_output.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace detmpi {

void flush_fortran_output() {
  // The statement FLUSH, whose argument is the unit; none: all of them. Looked up, because programs in C go without.
  using Flush = void (*)(const int32_t* unit);
  const auto flush = reinterpret_cast<Flush>(::dlsym(RTLD_DEFAULT, "_gfortran_flush_i4"));
  if (flush != nullptr) flush(nullptr);
}

}  // namespace detmpi
