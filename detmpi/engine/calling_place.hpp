// Where in the program a call of MPI is, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace detmpi {

struct Place {
  std::string by_function;  // "main+0x1f"
  std::string by_offset;    // "/path/program+0x121f"
  explicit Place(uintptr_t address);
};

// "main, sum.c:15", as far as it is known. May start a process.
std::string text_of(const Place& place);

// Of the call that this rank is in.
struct CallingPlace {
  std::string in_python;  // of a program in Python; else empty, and the other one counts
  Place place;
};

// Takes system calls.
CallingPlace calling_place();
// The address in the program alone: takes none.
uintptr_t calling_address();
std::string text_of(const CallingPlace& calling);

}  // namespace detmpi
