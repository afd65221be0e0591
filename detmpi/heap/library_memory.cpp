#include "library_memory.hpp"

constinit thread_local bool detmpi_in_library = false;  // with the linkage that the header gives it
