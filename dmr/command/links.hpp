// Links of HTML: the values of attributes href in quotes.
//
// No '<' lies between the name and the end of the value (in a value it must be written in another way), so a text may
// be cut before any '<' without cutting a link.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace dmr::command {

// Records::by. Remembers the last range without '<': where that is longer than a piece, every piece in it would look
// through all of it. The command has one input, which stays as it is.
inline uint64_t html_border(std::string_view file, uint64_t position) {
  static struct {
    std::string_view file;
    uint64_t from = 1, border = 0;
  } last;
  const bool known = last.file.data() == file.data() && last.file.size() == file.size() && last.from <= position &&
                     position <= last.border;
  if (!known) last = {file, position, std::min(file.find('<', position), file.size())};
  return last.border;
}

// What cannot simply be part of a value in quotes.
inline constexpr std::array kEndsPlainValue = {'"', '\'', '<', '\0', '\t', '\n', '\r'};

// The first such byte from `at` on; the text's size if there is none.
inline size_t end_of_plain_value(std::string_view text, size_t at) {
  constexpr size_t kTogether = sizeof(__m128i);
  for (; text.size() - at >= kTogether; at += kTogether) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    __m128i ends = _mm_setzero_si128();
    for (const char c : kEndsPlainValue) ends = _mm_or_si128(ends, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
    const auto found = static_cast<uint32_t>(_mm_movemask_epi8(ends));
    if (found != 0) return at + static_cast<size_t>(std::countr_zero(found));
  }
  const std::string_view ends(kEndsPlainValue.data(), kEndsPlainValue.size());
  return std::min(text.find_first_of(ends, at), text.size());
}

// The value of ` = "value"` from `at` on, without tabs and line ends; "" if there is something else. It lies in the
// text, or in `kept`.
inline std::string_view quoted_value(std::string_view text, size_t at, std::string& kept) {
  constexpr std::string_view kBlanks = " \t\n\f\r";
  at = text.find_first_not_of(kBlanks, at);
  if (at == text.npos || text[at] != '=') return {};
  at = text.find_first_not_of(kBlanks, at + 1);
  if (at == text.npos || (text[at] != '"' && text[at] != '\'')) return {};
  const char quote = text[at++];
  const size_t begin = at;
  at = end_of_plain_value(text, at);
  if (at < text.size() && text[at] == quote) return text.substr(begin, at - begin);
  kept = text.substr(begin, at - begin);
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == quote) return kept;
    if (c == '<' || c == '\0') return {};
    if (c != '\t' && c != '\n' && c != '\r') kept.push_back(c);
  }
  return {};
}

// Calls take(target) for each link; the target is good until the next.
template <typename Take>
void each_link(std::string_view text, Take&& take) {
  constexpr std::string_view kName = "href";
  const auto small = [&](size_t at) { return static_cast<char>(text[at] | 0x20); };
  const auto is_name = [&](size_t at) {
    for (size_t i = 0; i < kName.size(); ++i) {
      if (small(at + i) != kName[i]) return false;
    }
    // The name of an attribute begins behind a blank, a quote or a slash; data-href is another.
    return at > 0 && std::string_view(" \t\n\f\r\"'/").find(text[at - 1]) != std::string_view::npos;
  };
  std::string kept;
  // Values must have a '=' before them: there are few of these.
  for (size_t equals = text.find('='); equals != text.npos; equals = text.find('=', equals + 1)) {
    size_t end = equals;
    while (end > 0 && std::string_view(" \t\n\f\r").find(text[end - 1]) != std::string_view::npos) --end;
    if (end < kName.size() || !is_name(end - kName.size())) continue;
    if (const std::string_view target = quoted_value(text, end, kept); !target.empty()) take(target);
  }
}

}  // namespace dmr::command
