// Is this built with AddressSanitizer? It has a malloc of its own, which is large, and takes signals.
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
