#include "calling_place.hpp"

#include <base/signals.hpp>

#include "../fortran/call_site.hpp"
#include "../job/source_line.hpp"
#include "engine.hpp"
#include "python_place.hpp"

namespace detmpi {

Place::Place(uintptr_t address) {
  char text[spmc::base::kPlaceBytes] = "";
  spmc::base::describe_place(address, text, sizeof text);
  by_function = text;
  spmc::base::describe_offset(address, text, sizeof text);
  by_offset = text;
}

std::string text_of(const Place& place) { return place_text(place.by_function, place.by_offset); }

uintptr_t calling_address() {
  const uintptr_t fortran = detmpi_fortran_call_site;
  return fortran != 0 ? fortran - 1 : spmc::base::caller_outside(&g_engine);
}

CallingPlace calling_place() { return {python_place(), Place(calling_address())}; }

std::string text_of(const CallingPlace& calling) {
  return calling.in_python.empty() ? text_of(calling.place) : calling.in_python;
}

}  // namespace detmpi
