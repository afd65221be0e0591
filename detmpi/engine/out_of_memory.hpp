// The memory that the ranks share is used up.
#pragma once

#include <string>

namespace detmpi {

// Ends the job with a message that names `what` there was no room for, the rank and its call. A program could not go on
// in the same way in every run: when memory is given back depends on timing.
[[noreturn, gnu::cold]] void end_out_of_memory(const std::string& what);

}  // namespace detmpi
