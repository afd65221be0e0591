// Where mappers and reducers keep the pairs of a job with a combiner: a container puts together what has the same key.
//
//   ManyKeys       any keys: a hash table (the default)
//   FewKeys<n>     keys are numbers below n: an array
//
// A job without a combiner has none: every value goes on as it is.
//
// It keeps states (StateOf in combiners.hpp): a mapper's is given values, a reducer's states.
//
// Keys belong to parts, one for each reducer, which a mapper's container gives one by one; a reducer's has one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/codec.hpp>
#include <dmr/combiners.hpp>
#include <dmr/engine.hpp>
#include <dmr/hash_table.hpp>

namespace dmr {

struct ManyKeys {};
template <size_t n>
struct FewKeys {};

namespace detail {

template <typename Container, typename Key, typename Combiner, typename Added>
class Kept;

template <typename Key, typename Combiner, typename Added>
class Kept<ManyKeys, Key, Combiner, Added> {
 public:
  using State = StateOf<Combiner>;
  using Keys = typename HashTable<Combiner, Added>::Keys;
  explicit Kept(Keys keys = Keys::kOfAllParts) : table_(keys) {}
  static uint32_t part_of(std::string_view key, uint32_t parts) { return detail::part_of(hash_of_key(key), parts); }
  void expect(size_t keys, size_t most_bytes) { table_.expect(keys, most_bytes); }
  void shrink() { table_.shrink(); }
  void add(const auto& key, const Added& value) { table_.add(encode_(key), value); }
  void add_encoded(std::string_view key, const Added& value) { table_.add(key, value); }
  void give_part(uint32_t part, uint32_t parts, Pairs& pairs) { table_.give_part(part, parts, adding_to(pairs)); }
  void give_all(Pairs& pairs) { table_.take_all(adding_to(pairs)); }
  size_t keys() { return table_.keys(); }
  size_t bytes_held() const { return table_.bytes_held(); }

 private:
  auto adding_to(Pairs& pairs) {
    return [&](std::string_view key, const State& state) { pairs.add(key, encode_state_(state)); };
  }
  HashTable<Combiner, Added> table_;
  KeyEncoder<Key> encode_;
  ValueEncoder<State> encode_state_;
};

template <size_t n, std::unsigned_integral Key, typename Combiner, typename Added>
class Kept<FewKeys<n>, Key, Combiner, Added> {
 public:
  using State = StateOf<Combiner>;
  enum class Keys { kOfAllParts, kOfOnePart };
  explicit Kept(Keys = Keys::kOfAllParts) {}
  static uint32_t part_of(std::string_view key, uint32_t parts) {
    return static_cast<uint32_t>(KeyCodec<Key>::decode(key) * uint64_t{parts} / n);
  }
  void expect(size_t, size_t) {}
  void shrink() {}
  void add(Key key, const Added& value) {
    if (key >= n) throw JobError("a key is " + std::to_string(key) + ", and FewKeys has " + std::to_string(n));
    if (is_there_[key]) {
      Combiner::add(states_[key], value);
    } else {
      is_there_[key] = true;
      begin_state<Combiner>(states_[key], value);
    }
  }
  void add_encoded(std::string_view key, const Added& value) { add(KeyCodec<Key>::decode(key), value); }
  void give_part(uint32_t part, uint32_t parts, Pairs& pairs) {
    const auto first = [parts](uint64_t of) { return static_cast<size_t>((of * n + parts - 1) / parts); };
    give(first(part), first(part + 1), pairs);
  }
  void give_all(Pairs& pairs) {
    give(0, n, pairs);
    is_there_.assign(n, false);
  }
  size_t keys() const { return static_cast<size_t>(std::ranges::count(is_there_, true)); }
  size_t bytes_held() const { return 0; }

 private:
  void give(size_t from, size_t to, Pairs& pairs) {
    for (size_t key = from; key < to; ++key) {
      if (is_there_[key]) pairs.add(encode_(static_cast<Key>(key)), encode_state_(states_[key]));
    }
  }
  std::vector<State> states_ = std::vector<State>(n);
  std::vector<char> is_there_ = std::vector<char>(n, false);
  KeyEncoder<Key> encode_;
  ValueEncoder<State> encode_state_;
};

}  // namespace detail
}  // namespace dmr
