// A sum of floating-point numbers without rounding: whatever the order and grouping, it is the same number, and is
// rounded once, when it is asked for.
//
// The sum is a whole number of units of 2^-1088, in words of 32 bits, of which those are kept that have been needed,
// and some beside them:
//
//   bit 0 = 2^-1088                 first_                    first_ + count_
//      |  all zero, not kept  |  word  |  word  |  word  |  all like the sign, not kept ...
//
// in two's complement. Five words, which most sums can do with, lie in the object; more in memory of its own, at most
// 72. All of it is integer arithmetic: neither the rounding mode nor -ffast-math changes a result.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/codec.hpp>

namespace dmr {

template <typename T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

class ExactSum {
 public:
  ExactSum() = default;  // of nothing: 0
  ExactSum(const ExactSum& other) { copy(other); }
  ExactSum(ExactSum&& other) noexcept { steal(other); }
  ExactSum& operator=(const ExactSum& other) { return *this = ExactSum(other); }
  ExactSum& operator=(ExactSum&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~ExactSum() { release(); }

  template <Real T>
  void add(T number) {
    using Of = Layout<T>;
    const auto bits = std::bit_cast<typename Of::Bits>(number);
    const auto exponent = static_cast<uint32_t>(bits >> Of::kFraction & Of::kSpecial);
    uint64_t mantissa = bits & ((typename Of::Bits{1} << Of::kFraction) - 1);
    const bool negative = bits >> (8 * sizeof(T) - 1) != 0;
    if (exponent == Of::kSpecial) return add_special(mantissa != 0, negative);
    if (exponent != 0) mantissa |= uint64_t{1} << Of::kFraction;
    seen_ |= mantissa == 0 && negative ? kMinusZero : kNumber;
    if (mantissa == 0) return;
    const uint32_t bit = kBitsBelowOne - Of::kBitsBelowOne + (exponent != 0 ? exponent - 1 : 0);
    const uint64_t high = mantissa >> 1 >> (63 - bit % 32), low = mantissa << bit % 32;
    const Wide shifted = Wide{high} << 64 | low, sign = -Wide{negative};
    add_at(bit / 32, (shifted ^ sign) - sign);
  }
  void add(const ExactSum& other);

  // To nearest, of two equally near ones to the even one. Not a number if one of the numbers is none, or there are both
  // infinities (always the same quiet one, with sign 0); infinite if there is one of them, or the sum is too large;
  // -0.0 if all numbers are -0.0. What is too large on the way does not matter.
  template <Real T>
  T rounded() const;

  size_t heap_bytes() const { return is_outside() ? room_ * sizeof(uint32_t) : 0; }

  // As bytes: the same ones for the same numbers in any order. `take_from` takes them from the front; throws JobError.
  void append_to(std::string& bytes) const;
  static ExactSum take_from(std::string_view& bytes);

 private:
  __extension__ using Wide = __int128;
  static constexpr uint32_t kBitsBelowOne = 1088, kInside = 5;

  // value = mantissa * 2^(exponent - 1 - kBitsBelowOne), for exponents from 1 on; 0 is like 1 without its highest bit.
  template <typename T>
  struct Layout {
    using Bits = detail::UnsignedOf<sizeof(T)>;
    static constexpr int kFraction = std::numeric_limits<T>::digits - 1;  // bits of it
    static constexpr uint32_t kBitsBelowOne = kFraction + 1 - std::numeric_limits<T>::min_exponent;
    static constexpr uint32_t kSpecial = (uint32_t{1} << (8 * sizeof(T) - 1 - kFraction)) - 1;
  };
  // What has been added, besides words.
  enum Seen : uint8_t { kMinusZero = 1, kNumber = 2, kInfinity = 4, kMinusInfinity = 8, kNoNumber = 16 };

  // A number that lies in three words from this one on, with its sign.
  void add_at(uint32_t word, Wide number) {
    if (!ready_for(word)) make_ready_for(word, word + 3);
    uint32_t *at = words() + (word - first_), *const end = words() + count_;
    uint64_t low;
    std::memcpy(&low, at, sizeof low);
    number += low | Wide{at[2]} << 64;
    low = static_cast<uint64_t>(number);
    std::memcpy(at, &low, sizeof low);
    at[2] = static_cast<uint32_t>(number >> 64);
    number >>= 96;
    for (at += 3; number != 0 && at != end; ++at) {
      number += *at;
      *at = static_cast<uint32_t>(number);
      number >>= 32;
    }
  }
  // The three words are there, and nothing can leave the last of all.
  bool ready_for(uint32_t word) const { return word >= first_ && word + 3 <= first_ + uint32_t{count_} && has_slack(); }
  void make_ready_for(uint32_t first, uint32_t end);
  // The two highest bits that are kept are equal.
  bool has_slack() const { return words()[count_ - 1] + (1u << 30) < 1u << 31; }
  void add_special(bool no_number, bool negative);
  // Of the words that are kept, those that are needed: not zeros at the bottom, nor at the top what only repeats the
  // sign.
  struct Extent {
    uint32_t first, end;
  };
  Extent used() const;
  // Keeps the words from `first` to `end`, in which all that are used lie.
  void keep(uint32_t first, uint32_t end);
  // The words from `first` to `end`, whose bits are up to the caller. What they held is lost.
  uint32_t* keep_anew(uint32_t first, uint32_t end);
  // What words hold is lost.
  void make_room(uint32_t count);
  bool negative() const { return count_ != 0 && words()[count_ - 1] >> 31 != 0; }
  uint32_t sign() const { return negative() ? UINT32_MAX : 0; }

  bool is_outside() const { return room_ > kInside; }
  uint32_t* outside() const {
    uint32_t* words;
    std::memcpy(&words, inside_, sizeof words);
    return words;
  }
  uint32_t* words() { return is_outside() ? outside() : inside_; }
  const uint32_t* words() const { return is_outside() ? outside() : inside_; }
  void take_members(const ExactSum& other) {
    std::memcpy(inside_, other.inside_, sizeof inside_);
    first_ = other.first_, count_ = other.count_, room_ = other.room_, seen_ = other.seen_;
  }
  void copy(const ExactSum& other) {
    take_members(other);
    if (is_outside()) copy_outside();
  }
  void steal(ExactSum& other) {
    take_members(other);
    other.room_ = kInside;
    other.count_ = other.seen_ = 0;
  }
  void release() {
    if (is_outside()) delete[] outside();
  }
  void copy_outside();

  // Words, or the address of words: by itself it would need more room.
  alignas(uint64_t) uint32_t inside_[kInside] = {};
  uint8_t first_ = 0, count_ = 0, room_ = kInside, seen_ = 0;
};
static_assert(sizeof(ExactSum) == 24, "tables of many keys have one for each");

// Of vectors, number by number. A shorter one adds nothing to the numbers behind it.
class ExactSums {
 public:
  template <Real T>
  void add(const std::vector<T>& numbers) {
    add_each(numbers);
  }
  void add(const ExactSums& other) { add_each(other.sums_); }
  template <Real T>
  std::vector<T> rounded() const {
    std::vector<T> numbers;
    numbers.reserve(sums_.size());
    for (const ExactSum& sum : sums_) numbers.push_back(sum.rounded<T>());
    return numbers;
  }
  size_t heap_bytes() const { return sums_.size() * sizeof(ExactSum) + outside_; }

  void append_to(std::string& bytes) const {
    for (const ExactSum& sum : sums_) sum.append_to(bytes);
  }
  // All of them.
  static ExactSums take_from(std::string_view& bytes) {
    ExactSums sums;
    while (!bytes.empty()) sums.sums_.push_back(ExactSum::take_from(bytes));
    for (const ExactSum& sum : sums.sums_) sums.outside_ += sum.heap_bytes();
    return sums;
  }

 private:
  void add_each(const auto& addends) {
    if (sums_.size() < addends.size()) sums_.resize(addends.size());
    for (size_t i = 0; i < addends.size(); ++i) {
      outside_ -= sums_[i].heap_bytes();
      sums_[i].add(addends[i]);
      outside_ += sums_[i].heap_bytes();
    }
  }

  std::vector<ExactSum> sums_;
  size_t outside_ = 0;  // what they have in memory of their own
};

template <typename T>
requires(std::same_as<T, ExactSum> || std::same_as<T, ExactSums>) struct ValueCodec<T> {
  static void encode(const T& sum, std::string& to) { sum.append_to(to); }
  static T decode(std::string_view bytes) { return T::take_from(bytes); }
};

}  // namespace dmr
