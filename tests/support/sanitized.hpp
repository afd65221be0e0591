// Is this built with AddressSanitizer? It has a malloc of its own, which is large, and takes signals; and processes
// start and run several times as slowly. So what compares runs with each other is done without it: with it, each test
// goes the same ways, but fewer times.
#pragma once

namespace test_support {

#ifdef __has_feature  // clang++
inline constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#elif defined __SANITIZE_ADDRESS__  // g++
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

}  // namespace test_support
