// Lets programs that were built for MPICH find DetMPI under the names of MPICH's libraries.
#pragma once

#include <string>

namespace detmpi {

// Found from detmpirun's own place: where it is installed, else where it was built; beside it are the other libraries.
// Empty: neither.
std::string mpich_names_folder();

// Puts the folder of those libraries (detmpi/mpich) in front of this process' LD_LIBRARY_PATH, for the program that it
// becomes. For every program: it may be a script that starts another, and as the folder holds nothing but these names,
// nothing changes for programs that do not ask for them.
void offer_mpich_names();

}  // namespace detmpi
