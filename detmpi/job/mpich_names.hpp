// Lets programs that were built for MPICH find DetMPI under the names of MPICH's libraries.
#pragma once

namespace detmpi {

// Puts the folder of those libraries (detmpi/mpich) in front of this process' LD_LIBRARY_PATH, for the program that it
// becomes. For every program: it may be a script that starts another, and as the folder holds nothing but these names,
// nothing changes for programs that do not ask for them.
void offer_mpich_names();

}  // namespace detmpi
