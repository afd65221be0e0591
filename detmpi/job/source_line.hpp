// Places in a program as people know them.
#pragma once

#include <string>

namespace detmpi {

// "function, file.c:12" of a place that ranks give as "/path/object+0x12", where there are symbols and addr2line; empty
// otherwise.
const std::string& source_line_of(const std::string& place);

}  // namespace detmpi
