// Where the program has made the call of MPI that this rank is in. For messages.
#pragma once

#include <string>

namespace detmpi {

struct CallingPlace {
  std::string in_python;    // of a program in Python; else empty, and the others count
  std::string by_function;  // "main+0x1f"
  std::string by_offset;    // "/path/program+0x121f"
};

// Takes system calls.
CallingPlace calling_place();

// "main, sum.c:15", as far as it is known. May start a process.
std::string text_of(const CallingPlace& place);

}  // namespace detmpi
