// Which functions the program may call: those that it, or a library of its own, refers to by name.
#pragma once

namespace detmpi {

// Does any loaded object but this library's own refer to a function with `part` in its name, in whatever case, as
// Fortran's names have others than C's? An object that is loaded later is not seen, nor who looks a name up at run
// time. Reads the relocations of all objects: some 0.1 ms. Not async-signal safe.
bool program_refers_to(const char* part);

// To MPI_Cancel, found out once: before ranks are forked, so that they need not look.
bool program_may_cancel();

}  // namespace detmpi
