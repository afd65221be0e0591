// Where a Python program is, that has made the call of MPI which this rank is in.
#pragma once

#include <string>

namespace detmpi {

// "script.py:12 in exchange": the innermost function of this thread's that is written in Python. Empty in a process that
// runs no Python, or where its interpreter does not tell. For reports: takes system calls.
std::string python_place();
// Is there an interpreter in this process?
bool has_python();

}  // namespace detmpi
