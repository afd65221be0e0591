// Where a mapper keeps the pairs of a job with a combiner: a container puts together what has the same key.
//
//   ManyKeys       any keys: a hash table (the default)
//   FewKeys<n>     keys are numbers below n: an array
//
// A job without a combiner has none: every value goes on as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/codec.hpp>
#include <dmr/engine.hpp>
#include <dmr/hash_table.hpp>

namespace dmr {

struct ManyKeys {};
template <size_t n>
struct FewKeys {};

namespace detail {

template <typename Container, typename Key, typename Combiner>
class Kept;

template <typename Key, typename Combiner>
class Kept<ManyKeys, Key, Combiner> {
 public:
  using Value = typename Combiner::Value;
  void expect(size_t keys, size_t most_bytes) { table_.expect(keys, most_bytes); }
  void shrink() { table_.shrink(); }
  void add(const auto& key, const Value& value) { table_.add(encode_(key), value); }
  void add_encoded(std::string_view key, const Value& value) { table_.add(key, value); }
  void give_all(Pairs& pairs) {
    table_.take_all([&](std::string_view key, const Value& value) { pairs.add(key, ValueCodec<Value>::bytes(value)); });
  }
  size_t bytes_held() const { return table_.bytes_held(); }

 private:
  HashTable<Combiner> table_;
  KeyEncoder<Key> encode_;
};

template <size_t n, std::unsigned_integral Key, typename Combiner>
class Kept<FewKeys<n>, Key, Combiner> {
 public:
  using Value = typename Combiner::Value;
  void expect(size_t, size_t) {}
  void shrink() {}
  void add(Key key, const Value& value) {
    if (key >= n) throw JobError("a key is " + std::to_string(key) + ", and FewKeys has " + std::to_string(n));
    if (is_there_[key]) {
      Combiner::add(values_[key], value);
    } else {
      is_there_[key] = true;
      values_[key] = value;
    }
  }
  void add_encoded(std::string_view key, const Value& value) { add(KeyCodec<Key>::decode(key), value); }
  void give_all(Pairs& pairs) {
    for (size_t key = 0; key < n; ++key) {
      if (!is_there_[key]) continue;
      pairs.add(encode_(static_cast<Key>(key)), ValueCodec<Value>::bytes(values_[key]));
    }
    is_there_.assign(n, false);
  }
  size_t bytes_held() const { return n * sizeof(Value); }

 private:
  std::vector<Value> values_ = std::vector<Value>(n);
  std::vector<char> is_there_ = std::vector<char>(n, false);
  KeyEncoder<Key> encode_;
};

}  // namespace detail
}  // namespace dmr
