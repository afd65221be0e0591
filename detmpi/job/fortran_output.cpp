#include "fortran_output.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace detmpi {
namespace {

// OPEN with NEWUNIT= gives these numbers, downwards, and again those that were closed.
constexpr int32_t kFirstNewUnit = -10;
constexpr int32_t kLastNewUnit = -265;  // of more, some would be missed

}  // namespace

void flush_fortran_output() {
  // The statement FLUSH, whose argument is the unit; none: all those with numbers that the program chose. Looked up,
  // because programs in C go without.
  using Flush = void (*)(const int32_t* unit);
  const auto flush = reinterpret_cast<Flush>(::dlsym(RTLD_DEFAULT, "_gfortran_flush_i4"));
  if (flush == nullptr) return;
  flush(nullptr);
  for (int32_t unit = kFirstNewUnit; unit >= kLastNewUnit; --unit) flush(&unit);
}

}  // namespace detmpi
