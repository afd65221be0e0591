// How the values of a key are put together while they are found.
//
// A combiner has `using Value`, `static void add(Value& into, const Value& next)`, and `static constexpr bool kExact`:
// whether any order and grouping of the same values gives the same bits. An exact one is used wherever it saves most.
// Any other one adds up the values of one piece of the input in the order of map's calls, and then the pieces in their
// order: a function of the input too, and so the same for any number of workers.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <vector>

namespace dmr {

template <typename T>
struct Sum {
  using Value = T;
  static constexpr bool kExact = std::integral<T>;  // of floating-point numbers the order matters
  static void add(T& into, const T& next) { into += next; }
};

// Of vectors, number by number; a shorter one is as if zeros followed.
template <typename T>
struct SumOfEach {
  using Value = std::vector<T>;
  static constexpr bool kExact = std::integral<T>;
  static void add(Value& into, const Value& next) {
    if (into.size() < next.size()) into.resize(next.size());
    for (size_t i = 0; i < next.size(); ++i) into[i] += next[i];
  }
};

template <typename T>
struct Least {
  using Value = T;
  static constexpr bool kExact = std::integral<T>;  // 0.0 and -0.0 are different bits
  static void add(T& into, const T& next) { into = std::min(into, next); }
};

template <typename T>
struct Greatest {
  using Value = T;
  static constexpr bool kExact = std::integral<T>;
  static void add(T& into, const T& next) { into = std::max(into, next); }
};

// Of all values the first, in the order of the input.
template <typename T>
struct First {
  using Value = T;
  static constexpr bool kExact = false;
  static void add(T&, const T&) {}
};

}  // namespace dmr
