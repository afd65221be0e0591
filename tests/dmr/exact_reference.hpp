// Sums of floating-point numbers that nothing is lost of, done as simply as can be: a count for each bit. What they are
// rounded to is left to strtod and strtof, which read numbers of any length right.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace dmr_test {

// Finite numbers.
class ReferenceSum {
 public:
  void add(double number) {
    int exponent;
    const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(std::fabs(number), &exponent), 53));
    for (int bit = 0; bit < 53; ++bit) {
      // Of the least numbers these bits are 0.
      if ((mantissa >> bit & 1) != 0) {
        counts_[static_cast<size_t>(exponent - 53 + bit + kBelowOne)] += std::signbit(number) ? -1 : 1;
      }
    }
  }
  template <typename T>
  T rounded() const {
    std::vector<int64_t> bits = counts_;
    if (carry(bits)) {
      for (int64_t& bit : bits) bit = -bit;
      carry(bits);
      return -read<T>(bits);
    }
    return read<T>(bits);
  }

 private:
  static constexpr int kBelowOne = 1074, kBits = 2200;

  // Makes all bits but the last 0 or 1; whether the sum is negative.
  static bool carry(std::vector<int64_t>& bits) {
    for (size_t i = 0; i + 1 < bits.size(); ++i) {
      const int64_t bit = bits[i] & 1;
      bits[i + 1] += (bits[i] - bit) / 2;
      bits[i] = bit;
    }
    return bits.back() < 0;
  }
  template <typename T>
  static T read(const std::vector<int64_t>& bits) {
    std::string digits = "0x";
    for (size_t at = bits.size(); at > 0; at -= 4) {
      const int64_t digit = bits[at - 1] * 8 + bits[at - 2] * 4 + bits[at - 3] * 2 + bits[at - 4];
      digits += "0123456789abcdef"[digit];
    }
    digits += "p-" + std::to_string(kBelowOne);
    if constexpr (std::is_same_v<T, float>) return std::strtof(digits.c_str(), nullptr);
    else return std::strtod(digits.c_str(), nullptr);
  }

  std::vector<int64_t> counts_ = std::vector<int64_t>(kBits);
};

template <typename T>
T reference_sum(const std::vector<T>& numbers) {
  ReferenceSum sum;
  for (const T number : numbers) sum.add(double{number});
  return sum.rounded<T>();
}

// So that -0.0 differs from 0.0, and what is no number equals itself.
template <typename T>
auto bits_of(T number) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(number);
}

}  // namespace dmr_test
