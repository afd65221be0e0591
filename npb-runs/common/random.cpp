#include "random.hpp"

namespace npb {

std::uint64_t power_mod(std::uint64_t a, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply_mod(result, a);
    a = multiply_mod(a, a);
  }
  return result;
}

}  // namespace npb
