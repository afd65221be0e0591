// For messages about calls from Fortran, which come by way of libdetmpi_fortran.
#pragma once

#include <cstdint>

// Where the program has made the call that this rank is in, if that is Fortran; else 0. The address to which it
// returns. In libdetmpi, written by libdetmpi_fortran.
extern "C" __attribute__((visibility("default"))) uintptr_t detmpi_fortran_call_site;
