// Lines of a text.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dmr::command {

namespace detail {

// Bit i: p[i] is a line end; of 8 bytes.
inline uint64_t line_ends_of_word(const char* p) {
  constexpr uint64_t kOnes = 0x0101010101010101, kLow = 0x7f * kOnes;
  uint64_t bytes;
  std::memcpy(&bytes, p, 8);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  bytes ^= '\n' * kOnes;
  // 0x80 where a byte is 0 now; then these bits are gathered in the highest byte.
  const uint64_t is_end = ~(((bytes & kLow) + kLow) | bytes | kLow);
  return (is_end >> 7) * 0x0102040810204080 >> 56;
}

// Of 64 bytes.
inline uint64_t line_ends_of(const char* p) {
  uint64_t ends = 0;
  for (int word = 0; word < 8; ++word) ends |= line_ends_of_word(p + 8 * word) << (8 * word);
  return ends;
}

}  // namespace detail

// Calls take(line, its position) for each, without its end. Lines may be short, so the ends in 64 bytes are found at
// once.
template <typename Take>
void each_line(std::string_view text, Take&& take) {
  size_t begin = 0;
  for (size_t at = 0; at + 64 <= text.size(); at += 64) {
    for (uint64_t ends = detail::line_ends_of(text.data() + at); ends != 0; ends &= ends - 1) {
      const size_t end = at + static_cast<size_t>(std::countr_zero(ends));
      take(text.substr(begin, end - begin), begin);
      begin = end + 1;
    }
  }
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    take(text.substr(begin, end - begin), begin);
    begin = end + 1;
  }
}

}  // namespace dmr::command
