#include "library_memory.hpp"

extern "C" constinit thread_local bool detmpi_in_library = false;
