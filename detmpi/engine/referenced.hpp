// Which functions the program may call: those that it, or a library of its own, refers to by name.
#pragma once

namespace detmpi {

// May it call MPI_Cancel, in C or in Fortran? A library that is loaded later is not seen, nor who looks the name up at
// run time. The first call reads the relocations of all objects, some 0.1 ms: to be made before ranks are forked, so
// that these need not. Not async-signal safe.
bool program_may_cancel();

}  // namespace detmpi
