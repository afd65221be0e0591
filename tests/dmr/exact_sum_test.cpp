// Exact sums by themselves: any order, any grouping, as bytes and back, against sums that are counted bit by bit.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <dmr/error.hpp>
#include <dmr/exact_sum.hpp>

#include "exact_reference.hpp"

using dmr::ExactSum;
using namespace dmr_test;

namespace {

using Generator = std::mt19937_64;
constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMost = std::numeric_limits<double>::max(), kLeast = std::numeric_limits<double>::denorm_min(),
                 kLeastNormal = std::numeric_limits<double>::min();

std::string bytes_of(const ExactSum& sum) {
  std::string bytes;
  sum.append_to(bytes);
  return bytes;
}

ExactSum through_bytes(const ExactSum& sum) {
  const std::string bytes = bytes_of(sum) + "rest";
  std::string_view rest = bytes;
  ExactSum read = ExactSum::take_from(rest);
  CHECK(rest == "rest");
  CHECK(bytes_of(read) == bytes_of(sum));
  return read;
}

template <typename T>
ExactSum sum_of(const std::vector<T>& numbers) {
  ExactSum sum;
  for (const T number : numbers) sum.add(number);
  return sum;
}

// In groups, some of which go through bytes, put together in any order.
template <typename T>
ExactSum sum_in_groups(const std::vector<T>& numbers, Generator& random) {
  std::vector<ExactSum> groups(1 + random() % 4);
  for (const T number : numbers) groups[random() % groups.size()].add(number);
  std::shuffle(groups.begin(), groups.end(), random);
  ExactSum all;
  for (const ExactSum& group : groups) all.add(random() % 2 == 0 ? group : through_bytes(group));
  return all;
}

// The same bits for some orders and groupings.
template <typename T>
void check_sum(std::vector<T> numbers, T expected, Generator& random) {
  const std::string bytes = bytes_of(sum_of(numbers));
  for (int i = 0; i < 10; ++i) {
    const ExactSum all = i % 2 == 0 ? sum_of(numbers) : sum_in_groups(numbers, random);
    CHECK(bits_of(all.rounded<T>()) == bits_of(expected));
    CHECK(bytes_of(all) == bytes);
    std::shuffle(numbers.begin(), numbers.end(), random);
  }
}
template <typename T>
void check_sum(const std::vector<T>& numbers, T expected) {
  INFO(Catch::Detail::stringify(numbers));
  Generator random(1);
  check_sum(numbers, expected, random);
}

// Any finite bits, with exponents near to each other, or not.
template <typename T>
T any_number(Generator& random, int exponents) {
  constexpr int kFraction = std::numeric_limits<T>::digits - 1;
  constexpr uint64_t kMiddle = std::numeric_limits<T>::max_exponent - 1, kAll = 2 * kMiddle + 1;
  const uint64_t width = std::min(static_cast<uint64_t>(exponents), kAll);
  const uint64_t exponent = kMiddle - width / 2 + random() % width;
  uint64_t fraction = random() & ((uint64_t{1} << kFraction) - 1);
  if (random() % 4 == 0) fraction &= ~uint64_t{0} << (random() % kFraction);
  const uint64_t sign = random() % 2;
  using Bits = decltype(bits_of(T{}));
  return std::bit_cast<T>(static_cast<Bits>(sign << (8 * sizeof(T) - 1) | exponent << kFraction | fraction));
}

template <typename T>
void check_random_sums(uint64_t seed) {
  Generator random(seed);
  for (int i = 0; i < 300; ++i) {
    std::vector<T> numbers(1 + random() % 40);
    const int exponents = std::array{1, 20, 120, 3000}[random() % 4];
    for (T& number : numbers) number = any_number<T>(random, exponents);
    // What cancels leaves the small ones.
    if (random() % 2 == 0) {
      for (size_t at = 0; at < numbers.size(); at += 2) numbers.push_back(-numbers[at]);
    }
    check_sum(numbers, reference_sum(numbers), random);
  }
}

}  // namespace

TEST_CASE("exact sums: what other sums lose on the way") {
  check_sum<double>({1, 1e100, 1, -1e100}, 2);
  check_sum<double>({1e308, 1e308, -1e308}, 1e308);
  check_sum<double>({kMost, kMost, kMost, -kMost, -kMost, kLeast}, kMost);
  check_sum<double>({1e300, kLeast, -1e300}, kLeast);
  check_sum<double>({-1e300, -kLeast, 1e300}, -kLeast);
  check_sum<double>({0x1p60, 1, -0x1p60, 0x1p-60, -1}, 0x1p-60);
}

TEST_CASE("exact sums: rounded once, to nearest, and to even") {
  check_sum<double>({1, 0x1p-53}, 1);
  check_sum<double>({1, 0x1p-53, kLeast}, 1 + 0x1p-52);
  check_sum<double>({1, 0x1p-53, -kLeast}, 1);
  check_sum<double>({1 + 0x1p-52, 0x1p-53}, 1 + 0x1p-51);
  check_sum<double>({1 + 0x1p-52, 0x1p-53, -kLeast}, 1 + 0x1p-52);
  check_sum<double>({-1, -0x1p-53}, -1);
  check_sum<double>({-1, -0x1p-53, -kLeast}, -1 - 0x1p-52);
  check_sum<double>({1, -0x1p-54}, 1);
  check_sum<double>({1, -0x1p-54, -kLeast}, 1 - 0x1p-53);
  check_sum<double>({0x1p53, 1}, 0x1p53);
  check_sum<double>({0x1p53, 1, 1, 1}, 0x1p53 + 4);
  check_sum<double>({0x1.fffffffffffffp0, 0x1p-53}, 2);
}

TEST_CASE("exact sums: the least numbers") {
  check_sum<double>({kLeast, kLeast, kLeast}, 3 * kLeast);
  check_sum<double>({kLeastNormal, -kLeast}, kLeastNormal - kLeast);
  check_sum<double>({kLeastNormal - kLeast, kLeast}, kLeastNormal);
  check_sum<double>({-kLeastNormal, kLeast, kLeast}, -(kLeastNormal - 2 * kLeast));
}

TEST_CASE("exact sums: too large, infinite, no number") {
  check_sum<double>({kMost, kMost}, kInfinity);
  check_sum<double>({-1e308, -1e308}, -kInfinity);
  // Half of the last place of the largest number.
  check_sum<double>({kMost, 0x1p970}, kInfinity);
  check_sum<double>({kMost, 0x1p970, -kLeast}, kMost);
  check_sum<double>({kInfinity, -kMost, 1}, kInfinity);
  check_sum<double>({-kInfinity, kMost, kMost}, -kInfinity);
  check_sum<double>({kInfinity, -kInfinity, 1}, kNan);
  // Always the same bits.
  check_sum<double>({-kNan, 1}, kNan);
  check_sum<double>({std::bit_cast<double>(uint64_t{0xfff0000000000123u}), -kInfinity}, kNan);
  check_sum<double>({std::bit_cast<double>(uint64_t{0x7ff8000000000123u})}, kNan);
}

TEST_CASE("exact sums: zeros") {
  CHECK(bits_of(ExactSum().rounded<double>()) == bits_of(0.0));
  check_sum<double>({0.0}, 0.0);
  check_sum<double>({-0.0, -0.0}, -0.0);
  check_sum<double>({-0.0, 0.0, -0.0}, 0.0);
  check_sum<double>({1, -1}, 0.0);
  check_sum<double>({-0.0, 1e300, -1e300, -0.0}, 0.0);
  check_sum<float>({-0.0f, -0.0f}, -0.0f);
}

TEST_CASE("exact sums of float are rounded once, too") {
  constexpr float kMostFloat = std::numeric_limits<float>::max(),
                  kLeastFloat = std::numeric_limits<float>::denorm_min();
  // By way of double it would be 1.
  check_sum<float>({1, 0x1p-24f, 0x1p-60f}, 1 + 0x1p-23f);
  check_sum<float>({1, 0x1p-24f}, 1);
  check_sum<float>({kMostFloat, kMostFloat, -kMostFloat}, kMostFloat);
  check_sum<float>({kMostFloat, 0x1p103f}, std::numeric_limits<float>::infinity());
  check_sum<float>({kMostFloat, 0x1p103f, -kLeastFloat}, kMostFloat);
  check_sum<float>({kLeastFloat, kLeastFloat}, 2 * kLeastFloat);
  check_sum<float>({std::numeric_limits<float>::min(), -kLeastFloat}, std::numeric_limits<float>::min() - kLeastFloat);
  check_sum<float>({-std::numeric_limits<float>::quiet_NaN()}, std::numeric_limits<float>::quiet_NaN());
  // Of doubles: what is too small for a float.
  CHECK(sum_of<double>({0x1p-150}).rounded<float>() == 0);
  CHECK(sum_of<double>({0x1p-150, kLeast}).rounded<float>() == kLeastFloat);
}

TEST_CASE("exact sums do not depend on the rounding mode") {
  const int mode = std::fegetround();
  for (const int other : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(other);
    const double up = sum_of<double>({1, 0x1p-53, kLeast}).rounded<double>();
    const double down = sum_of<double>({1, 0x1p-54}).rounded<double>(),
                 large = sum_of<double>({kMost, kMost}).rounded<double>();
    std::fesetround(mode);
    CHECK((up == 1 + 0x1p-52 && down == 1 && large == kInfinity));
  }
}

TEST_CASE("exact sums of random numbers, in any order and grouping") {
  check_random_sums<double>(1);
  check_random_sums<float>(2);
}

TEST_CASE("exact sums of many numbers") {
  __extension__ using Wide = __int128;
  for (const int64_t offset : {int64_t{0}, int64_t{1} << 51, -(int64_t{1} << 52)}) {
    Generator random(3);
    Wide scaled = 0;
    ExactSum sum;
    for (int i = 0; i < 300'000; ++i) {
      const int64_t number = static_cast<int64_t>(random() % (uint64_t{1} << 52)) - offset;
      scaled += Wide{number} << i % 20;
      sum.add(std::ldexp(static_cast<double>(number), i % 20 - 90));
    }
    CHECK(sum.rounded<double>() == std::ldexp(static_cast<double>(scaled), -90));
    CHECK(sum.heap_bytes() == 0);
  }
}

TEST_CASE("exact sums that come to more than the words which their first number needs") {
  for (int exponent = 0; exponent < 32; ++exponent) {
    for (const double sign : {1.0, -1.0}) {
      const double number = std::ldexp(sign * 0x1.fffffffffffffp0, exponent);
      ExactSum sum;
      for (int i = 0; i < 1 << 13; ++i) sum.add(number);
      CHECK(sum.rounded<double>() == std::ldexp(number, 13));
    }
  }
}

TEST_CASE("exact sums that are doubled, to beyond all doubles and back") {
  ExactSum sum, half = sum_of<double>({-kMost / 2, -kLeast});
  sum.add(-kMost);
  sum.add(-2 * kLeast);
  for (int i = 0; i < 60; ++i) {
    sum.add(sum);
    half.add(half);
  }
  CHECK(sum.rounded<double>() == -kInfinity);
  ExactSum same = through_bytes(half);
  same.add(half);
  CHECK(bytes_of(same) == bytes_of(sum));
  ExactSum rest;
  for (const double number : {kMost, 2 * kLeast}) rest.add(number);
  for (int i = 0; i < 60; ++i) rest.add(ExactSum(rest));
  rest.add(sum);
  CHECK(rest.rounded<double>() == 0);
  CHECK(bytes_of(rest) == bytes_of(sum_of<double>({1, -1})));
  // More than numbers can come to.
  const auto double_on = [&] {
    for (int i = 0; i < 300; ++i) sum.add(sum);
  };
  CHECK_THROWS_AS(double_on(), dmr::JobError);
}

TEST_CASE("exact sums are copied and moved, with the memory of their own") {
  const ExactSum small = sum_of<double>({1, 2}), large = sum_of<double>({1e300, 1e-300});
  CHECK(small.heap_bytes() == 0);
  CHECK(large.heap_bytes() > 0);
  for (const ExactSum& from : {small, large}) {
    for (const ExactSum& old : {small, large}) {
      ExactSum copy = old, moved = old;
      copy = from;
      ExactSum source = from;
      moved = std::move(source);
      source = old;
      CHECK(bytes_of(copy) == bytes_of(from));
      CHECK(bytes_of(moved) == bytes_of(from));
      CHECK(bytes_of(source) == bytes_of(old));
      copy = *&copy;
      copy.add(1.0);
      CHECK(bytes_of(copy) != bytes_of(from));
      CHECK(bytes_of(moved) == bytes_of(from));
    }
  }
}

TEST_CASE("exact sums take few bytes, and bytes that are not whole are told of") {
  CHECK(bytes_of(ExactSum()).size() == 3);
  CHECK(bytes_of(sum_of<double>({-1})).size() == 4);
  CHECK(bytes_of(sum_of<double>({1.0 / 3})).size() <= 11);
  const std::string bytes = bytes_of(sum_of<double>({1e300, 1e-300}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string_view part = std::string_view(bytes).substr(0, size);
    CHECK_THROWS_AS(ExactSum::take_from(part), dmr::JobError);
  }
  std::string_view far = "\x3f\xff\xff";
  CHECK_THROWS_AS(ExactSum::take_from(far), dmr::JobError);
}

TEST_CASE("exact sums of vectors: a shorter one adds nothing behind it") {
  dmr::ExactSums sums, others;
  sums.add(std::vector<double>{1e300, 1, -0.0});
  sums.add(std::vector<double>{});
  others.add(std::vector<double>{1});
  others.add(std::vector<double>{-1e300, 2});
  others.add(std::vector<double>{0, 0, -0.0, -0.0});
  std::string bytes;
  others.append_to(bytes);
  std::string_view rest = bytes;
  const size_t heap = others.heap_bytes();
  CHECK(heap > 4 * sizeof(ExactSum));
  sums.add(dmr::ExactSums::take_from(rest));
  const auto all = sums.rounded<double>();
  REQUIRE(all.size() == 4);
  CHECK((all[0] == 1 && all[1] == 3));
  CHECK((bits_of(all[2]) == bits_of(-0.0) && bits_of(all[3]) == bits_of(-0.0)));
}
