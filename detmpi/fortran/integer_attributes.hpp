// Attributes are integers in Fortran and addresses in C. One that Fortran has set is kept as an MPI_Aint, of which C
// gets the address; as bytes come in the order of x86, that is the address of an int, too, where it fits. Both
// languages call the same functions, which tools may have wrapped, and have such addresses there. Which of them stand
// for the integer that they point at is told beside the call.
#pragma once

extern "C" {
#pragma GCC visibility push(default)
// To libdetmpi: an attribute with this address is the integer there. Null: none. Written by libdetmpi_fortran, for the
// time of a call, or at the end of a copy function.
extern const void* detmpi_fortran_given_integer;
// From libdetmpi: the address that a function of attributes was called with, or that MPI_..._get_attr has found, if it
// is that of an integer; else null.
extern const void* detmpi_fortran_found_integer;
#pragma GCC visibility pop
}
