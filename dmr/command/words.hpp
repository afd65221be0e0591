// Words of a text: letters, and apostrophes behind the first; letters of ASCII are made small. Every byte from 0x80 on
// counts as a letter, so that words of UTF-8 stay whole.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dmr::command {

// The small letter of each byte, 0 for what belongs to no word.
inline constexpr std::array<char, 256> kWordByte = [] {
  std::array<char, 256> of{};
  for (int c = 'a'; c <= 'z'; ++c)
    of[static_cast<size_t>(c)] = of[static_cast<size_t>(c - 'a' + 'A')] = static_cast<char>(c);
  for (int c = 0x80; c < 0x100; ++c) of[static_cast<size_t>(c)] = static_cast<char>(c);
  of['\''] = '\'';
  return of;
}();

// Calls take(word) for each; the word is good until the next.
template <typename Take>
void each_word(std::string_view text, Take&& take) {
  constexpr size_t kUsual = 256;
  char usual[kUsual];
  std::string longer;
  const char *at = text.data(), *const end = at + text.size();
  const auto folded = [](const char* p) { return kWordByte[static_cast<uint8_t>(*p)]; };
  while (at != end) {
    char c = folded(at++);
    if (c == 0 || c == '\'') continue;
    size_t n = 0;
    do {
      usual[n++] = c;
    } while (at != end && n < kUsual && (c = folded(at)) != 0 && (++at, true));
    if (n < kUsual) {
      take(std::string_view(usual, n));
      continue;
    }
    longer.assign(usual, n);
    for (; at != end && (c = folded(at)) != 0; ++at) longer.push_back(c);
    take(std::string_view(longer));
  }
}

}  // namespace dmr::command
