#include <base/text.hpp>

#include <cstdio>

namespace spmc::base {

std::string printable(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    char number[8];
    if (byte < ' ' || byte == 0x7f) text.append(number, static_cast<size_t>(std::snprintf(number, sizeof number, "\\x%02x", byte)));
    else text += c == '\\' ? "\\\\" : std::string_view(&c, 1);
  }
  return text;
}

}  // namespace spmc::base
