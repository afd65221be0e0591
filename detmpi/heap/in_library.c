// What malloc_names.c goes by. Each library that may be the first one with malloc in a process brings it; all use that
// of the first.
#include "own_heap.h"

__attribute__((visibility("default"))) _Thread_local _Bool detmpi_in_library = 0;
__attribute__((visibility("default"))) const struct detmpi_heap* detmpi_own_heap = NULL;
