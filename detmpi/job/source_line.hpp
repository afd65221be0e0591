// Places in a program as people know them.
#pragma once

#include <string>

namespace detmpi {

// "function, file.c:12" of a place that ranks give as "/path/object+0x12", where there are symbols and addr2line; else
// `by_function`. May start a process.
std::string place_text(const std::string& by_function, const std::string& by_offset);

}  // namespace detmpi
