// The memory that the ranks share is used up, or something else of which there is only so much.
#pragma once

#include <string>

namespace detmpi {

// Ends the job with a message that names `what` there was no room for, the rank and its call. A program could not go on
// in the same way in every run: when memory is given back depends on timing.
[[noreturn, gnu::cold]] void end_out_of_memory(const std::string& what);

// Ends the job with a message that names the rank, its call and the `limit` that the program would exceed.
[[noreturn, gnu::cold]] void end_at_limit(const std::string& limit);

}  // namespace detmpi
