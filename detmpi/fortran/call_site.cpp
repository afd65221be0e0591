#include "call_site.hpp"

uintptr_t detmpi_fortran_call_site = 0;
