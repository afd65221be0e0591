// Words into a number that stands for them.
#pragma once

#include <cstdint>

namespace detmpi {

// A well-mixed function of both (splitmix64's finaliser).
constexpr uint64_t fold_digest(uint64_t digest, uint64_t word) {
  uint64_t x = digest + word + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace detmpi
