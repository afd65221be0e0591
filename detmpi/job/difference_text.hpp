// Differences between runs, in words.
#pragma once

#include <string>

#include "compare_runs.hpp"

namespace detmpi {

// "MPI_Recv got 8 bytes with tag 7 from rank 2"
std::string event_text(const EventRecord& event);

// Several lines. `reference`, `other`: names of the runs, such as "run 1".
std::string difference_text(const Difference& difference, const std::string& reference, const std::string& other);

// 12,345
std::string with_commas(uint64_t number);

}  // namespace detmpi
