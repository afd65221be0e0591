// Texts for people.
#pragma once

#include <string>
#include <string_view>

namespace spmc::base {

// Bytes as they may stand in a message: control characters, of which 0 would be its end, as \x00, a backslash as \\.
std::string printable(std::string_view bytes);

}  // namespace spmc::base
