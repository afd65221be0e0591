// Addresses of a program's heap blocks repeat if malloc is that of heap/malloc_names.c, which those who come first in a
// process have. Where a program needs MPI through another library alone, or loads it while it runs, as Python does, the
// C library is before DetMPI's. So a library with that malloc is loaded before all others.
#pragma once

namespace detmpi {

// Adds that library to this process' LD_PRELOAD, for the program that it becomes. Not where the program brings a
// sanitizer, which has a malloc of its own, and wants to be the first itself.
void put_malloc_first(const char* program);

}  // namespace detmpi
