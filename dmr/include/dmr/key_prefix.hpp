// Most comparisons of keys need no more than the first bytes of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace dmr {

// The first eight bytes of a key as a number of the same order: of keys with different numbers, the one with the lesser
// number is less, byte by byte; with equal numbers either may be.
inline uint64_t prefix_of(std::string_view key) {
  uint64_t bytes = 0;
  if (key.size() >= sizeof bytes) std::memcpy(&bytes, key.data(), sizeof bytes);
  else if (!key.empty()) std::memcpy(&bytes, key.data(), key.size());
  return __builtin_bswap64(bytes);
}

}  // namespace dmr
