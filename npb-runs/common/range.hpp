// Ranges of indices, and their division over ranks.
#pragma once

#include <algorithm>

namespace npb {

struct Range {
  int begin = 0;
  int end = 0;
  constexpr int size() const { return end - begin; }
  constexpr bool contains(int i) const { return begin <= i && i < end; }
};

// Part `index` of `count` nearly equal parts of 0 .. n-1; the first (n mod count) parts are one longer.
constexpr Range part_of(int n, int count, int index) {
  const int base = n / count;
  const int longer = n % count;
  const int begin = index * base + std::min(index, longer);
  return {begin, begin + base + (index < longer ? 1 : 0)};
}

}  // namespace npb
