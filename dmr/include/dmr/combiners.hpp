// How the values of a key are put together while they are found.
//
// A combiner has `using Value`, `static void add(Value& into, const Value& next)`, and `static constexpr bool kExact`:
// whether any order and grouping of the same values gives the same bits. An exact one is used wherever it saves most.
//
// Any other one adds up the values of one piece of the input in the order of map's calls, and then the pieces in their
// order: the same for any number of workers and any memory. Where only the order of values matters, not their grouping
// (First, a concatenation), it is the same for pieces of any size, too. Where grouping matters, as with += of
// floating-point numbers in a structure, the result depends on the size of pieces. Use in its place a key for each sum,
// SumOfEach, or a combiner with ExactSums in its state.
//
// Sum, SumOfEach, Least and Greatest of integers, float and double are exact, so nothing depends on pieces; of other
// types they are not.
//
// Values may be kept and sent in another form, the state, which has a ValueCodec or is trivially copyable:
//
//   using State                                   State{} is that of no values
//   static void add(State& into, const Value& next)
//   static void add(State& into, const State& next)
//   static Value value(const State& state)        when all are put together
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <vector>

#include <dmr/codec.hpp>
#include <dmr/exact_sum.hpp>

namespace dmr {

// Of floating-point numbers the exact sum, rounded once: see ExactSum::rounded about infinities and the like.
template <typename T>
struct Sum {
  using Value = T;
  static constexpr bool kExact = std::integral<T>;  // of other types the order may matter
  static void add(T& into, const T& next) { into += next; }
};
template <Real T>
struct Sum<T> {
  using Value = T;
  using State = ExactSum;
  static constexpr bool kExact = true;
  static void add(State& into, const auto& next) { into.add(next); }
  static T value(const State& state) { return state.rounded<T>(); }
};

// Of vectors, number by number; a shorter one adds nothing to the numbers behind it.
template <typename T>
struct SumOfEach {
  using Value = std::vector<T>;
  static constexpr bool kExact = std::integral<T>;
  static void add(Value& into, const Value& next) {
    if (into.size() < next.size()) into.resize(next.size());
    for (size_t i = 0; i < next.size(); ++i) into[i] += next[i];
  }
};
template <Real T>
struct SumOfEach<T> {
  using Value = std::vector<T>;
  using State = ExactSums;
  static constexpr bool kExact = true;
  static void add(State& into, const auto& next) { into.add(next); }
  static Value value(const State& state) { return state.rounded<T>(); }
};

namespace detail {

template <typename T>
constexpr bool is_nan(const T& value) {
  if constexpr (Real<T>) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    return ordered_bits(value) < ordered_bits(-kInfinity) || ordered_bits(value) > ordered_bits(kInfinity);
  }
  return false;
}
template <typename T>
constexpr bool is_less(const T& a, const T& b) {
  if constexpr (Real<T>) return ordered_bits(a) < ordered_bits(b);
  else return a < b;
}
// In place of `old`; what is no number, before all others.
template <typename T>
constexpr bool is_chosen(const T& next, const T& old, bool is_better) {
  return is_nan(next) != is_nan(old) ? is_nan(next) : is_better;
}

}  // namespace detail

// Of floating-point numbers -0.0 is less than 0.0, and if there is one that is not a number, that is the result; of
// several the one with the least bits, in the order of keys. Of other types, of several that are equal the first of the
// input.
template <typename T>
struct Least {
  using Value = T;
  static constexpr bool kExact = std::integral<T> || Real<T>;
  static void add(T& into, const T& next) {
    if (detail::is_chosen(next, into, detail::is_less(next, into))) into = next;
  }
};

// The same; of several that are not a number the one with the greatest bits.
template <typename T>
struct Greatest {
  using Value = T;
  static constexpr bool kExact = std::integral<T> || Real<T>;
  static void add(T& into, const T& next) {
    if (detail::is_chosen(next, into, detail::is_less(into, next))) into = next;
  }
};

// Of all values the first, in the order of the input.
template <typename T>
struct First {
  using Value = T;
  static constexpr bool kExact = false;
  static void add(T&, const T&) {}
};

// --- for the engine ---

namespace detail {

template <typename Combiner>
concept HasState = requires {
  typename Combiner::State;
};

template <typename Combiner>
struct StateOfCombiner {
  using Type = typename Combiner::Value;
};
template <HasState Combiner>
struct StateOfCombiner<Combiner> {
  using Type = typename Combiner::State;
};
template <typename Combiner>
using StateOf = typename StateOfCombiner<Combiner>::Type;

// The state of one value, or of another state.
template <typename Combiner>
void begin_state(StateOf<Combiner>& state, const auto& first) {
  if constexpr (HasState<Combiner>) {
    state = {};
    Combiner::add(state, first);
  } else {
    state = first;
  }
}

template <typename Combiner>
typename Combiner::Value value_of(const StateOf<Combiner>& state) {
  if constexpr (HasState<Combiner>) return Combiner::value(state);
  else return state;
}

}  // namespace detail
}  // namespace dmr
