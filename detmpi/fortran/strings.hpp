// Fortran strings have a length and are padded with blanks; C strings end with a null character.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace detmpi::fortran {

// Room for any string that MPI gives.
using Text = std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1>;

std::string without_trailing_blanks(const char* text, size_t length);
// Without those at the beginning, too, as MPI has it for info objects.
std::string without_blanks(const char* text, size_t length);

// What does not fit is cut off.
void pad(char* text, size_t length, std::string_view value);

}  // namespace detmpi::fortran
