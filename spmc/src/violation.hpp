// Ending a space that broke a protocol.
#pragma once

#include "view.hpp"

namespace spmc {

// Prints "space 2: <deed> at address A, page P of region 0.1: <rule>" and ends the space; the part before the
// deed comes from the context hook. Async-signal-safe.
[[noreturn]] void violation(const View& view, uint32_t page, uint32_t offset, const char* deed, const char* rule);

inline constexpr char kRuleOneProducer[] = "a region has a single producer, and this space is not it";
inline constexpr char kRuleFixedOnce[] = "what has been fixed or published is read-only for good";
inline constexpr char kRuleFixTwice[] = "a page is fixed at most once";

}  // namespace spmc
