// What malloc_names.c goes by. DetMPI's library brings it, and the one that is loaded before all others: where both are
// in a process, both use that of the latter.
#include "long_blocks.h"
#include "own_heap.h"
#include "program_heap.h"

__attribute__((visibility("default"))) _Thread_local _Bool detmpi_inside_library = 0;
__attribute__((visibility("default"))) _Thread_local _Bool detmpi_places_long = 0;
__attribute__((visibility("default"))) const struct detmpi_heap* detmpi_own_heap = NULL;
__attribute__((visibility("default"))) struct detmpi_program_heap detmpi_program_heap = {0, 0, 0, 0, 0, 0};
