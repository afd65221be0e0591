// With how many workers the tests try each job. Each may be two processes, so with AddressSanitizer
// (support/sanitized.hpp) they are fewer.
#pragma once

#include <vector>

#include "support/sanitized.hpp"

namespace dmr_test {

inline const std::vector<int> kWorkers = test_support::kAddressSanitizer ? std::vector{1, 3} : std::vector{1, 2, 3, 8};

}  // namespace dmr_test
