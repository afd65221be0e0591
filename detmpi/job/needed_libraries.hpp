// Which libraries a program asks for.
#pragma once

#include <string>
#include <vector>

namespace detmpi {

// The names in the dynamic section of a program of this machine's kind (ELF, 64 bits), in their order. None: it is
// another kind of file, a script for example, it cannot be read, or it is damaged.
std::vector<std::string> needed_libraries(const std::string& path);

}  // namespace detmpi
