#include "random.hpp"

#include <bit>

namespace npb {
namespace {

// Numbers whose states advance side by side, each by kLanes steps of the sequence at once. They do not depend on
// each other, so that a compiler turns them into vectors.
constexpr std::size_t kLanes = 32;

// x 2^-46 for x < 2^46: exact, and without a conversion from integer, which vectors may not have.
inline double to_number(std::uint64_t x) {
  constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0);
  return std::bit_cast<double>(x << 6 | kOne) - 1.0;
}

}  // namespace

std::uint64_t power_mod(std::uint64_t a, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply_mod(result, a);
    a = multiply_mod(a, a);
  }
  return result;
}

void Random::fill(double* __restrict numbers, std::size_t count) {
  static const std::uint64_t leap = power_mod(kMultiplier, kLanes);
  const std::size_t in_lanes = count - count % kLanes;
  std::uint64_t lane[kLanes];
  for (std::uint64_t x = state_; std::uint64_t & state : lane) state = x = multiply_mod(kMultiplier, x);
  for (std::size_t i = 0; i < in_lanes; i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) {
      numbers[i + l] = to_number(lane[l]);
      lane[l] = multiply_mod(leap, lane[l]);
    }
  skip(in_lanes);
  for (std::size_t i = in_lanes; i < count; ++i) numbers[i] = next();
}

}  // namespace npb
