#include "calling_place.hpp"

#include <base/signals.hpp>

#include "../fortran/call_site.hpp"
#include "../job/source_line.hpp"
#include "engine.hpp"
#include "python_place.hpp"

namespace detmpi {

CallingPlace calling_place() {
  char by_function[spmc::base::kPlaceBytes];
  const uintptr_t fortran = detmpi_fortran_call_site;
  const uintptr_t caller = fortran != 0 ? fortran - 1 : spmc::base::caller_outside(&g_engine);
  spmc::base::describe_place(caller, by_function, sizeof by_function);
  return {python_place(), by_function, spmc::base::describe_offset(caller)};
}

std::string text_of(const CallingPlace& place) {
  if (!place.in_python.empty()) return place.in_python;
  const std::string& line = source_line_of(place.by_offset);
  return line.empty() ? place.by_function : line;
}

}  // namespace detmpi
