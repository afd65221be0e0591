#include "calling_place.hpp"

#include <base/signals.hpp>

#include "../fortran/call_site.hpp"
#include "../job/source_line.hpp"
#include "engine.hpp"
#include "python_place.hpp"

namespace detmpi {

Place::Place(uintptr_t address) : by_offset(spmc::base::describe_offset(address)) {
  char text[spmc::base::kPlaceBytes] = "";
  spmc::base::describe_place(address, text, sizeof text);
  by_function = text;
}

std::string text_of(const Place& place) {
  const std::string& line = source_line_of(place.by_offset);
  return line.empty() ? place.by_function : line;
}

CallingPlace calling_place() {
  const uintptr_t fortran = detmpi_fortran_call_site;
  return {python_place(), Place(fortran != 0 ? fortran - 1 : spmc::base::caller_outside(&g_engine))};
}

std::string text_of(const CallingPlace& calling) {
  return calling.in_python.empty() ? text_of(calling.place) : calling.in_python;
}

}  // namespace detmpi
