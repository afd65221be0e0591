// The context numbers of the predefined communicators.
#pragma once

#include <cstdint>

namespace detmpi {

inline constexpr uint32_t kWorldContext = 0;
inline constexpr uint32_t kSelfContext = 1;
inline constexpr uint32_t kFirstFreeContext = 2;

}  // namespace detmpi
