#include "strings.hpp"

#include <algorithm>
#include <cstring>

namespace detmpi::fortran {

std::string without_trailing_blanks(const char* text, size_t length) {
  const std::string_view all(text, length);
  return std::string(all.substr(0, all.find_last_not_of(' ') + 1));
}

std::string without_blanks(const char* text, size_t length) {
  const std::string_view all(text, length);
  const size_t begin = std::min(all.find_first_not_of(' '), length);
  return without_trailing_blanks(text + begin, length - begin);
}

void pad(char* text, size_t length, std::string_view value) {
  const size_t used = std::min(length, value.size());
  std::memcpy(text, value.data(), used);
  std::memset(text + used, ' ', length - used);
}

}  // namespace detmpi::fortran
