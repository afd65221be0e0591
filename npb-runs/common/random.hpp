// The pseudo-random sequence of the NAS Parallel Benchmarks: x' = a x mod 2^46, r = x 2^-46.
// All input data of the benchmarks come from it, so it must be exact on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npb {

inline constexpr std::uint64_t kMultiplier = 1220703125;  // 5^13
inline constexpr std::uint64_t kDefaultSeed = 314159265;

// a x mod 2^46. The product may overflow 64 bits: 2^46 divides 2^64, so its low bits stay right.
constexpr std::uint64_t multiply_mod(std::uint64_t a, std::uint64_t x) {
  return (a * x) & ((std::uint64_t{1} << 46) - 1);
}

// a^exponent mod 2^46, by binary powering.
std::uint64_t power_mod(std::uint64_t a, std::uint64_t exponent);

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed = kDefaultSeed) : state_(seed) {}

  // The next number of the sequence, in (0, 1). The seed itself is never returned.
  constexpr double next() {
    state_ = multiply_mod(kMultiplier, state_);
    return static_cast<double>(state_) * 0x1p-46;
  }

  // The next `count` numbers, as next() would return them one by one, but several times as fast.
  void fill(double* numbers, std::size_t count);

  // Moves on as if next() had been called `count` times.
  void skip(std::uint64_t count) { state_ = multiply_mod(power_mod(kMultiplier, count), state_); }

  constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace npb
