// MapReduce for C++20: a job is a class with map(), and with what else it needs.
//
//   struct WordLengths : dmr::MapReduce<WordLengths, uint64_t, uint64_t, dmr::Sum<uint64_t>> {
//     void map(const dmr::Piece& piece, auto& emit) const { for (each word) emit(word.size(), 1); }
//   };
//   for (const auto& [length, count] : WordLengths().run(dmr::Input::files(names))) ...
//
// What a job may have besides:
//   Container                                 how a mapper keeps pairs: ManyKeys, FewKeys<n> (containers.hpp)
//   Result, reduce(key, values, emit)         makes results out of the values of a key, by emit(result); without it
//                                             each value is one. With a combiner there is one value: all put together
//   static bool compare(a, b)                 the order of keys, in place of that of their codec, which decides where
//                                             neither is less: they are two keys all the same
//   uint32_t partition(key, parts)            which reducer gets a key; a function of these two
//
// The output is sorted by key, and the same bytes for any number of workers, any memory limit, and, unless a combiner
// or map of the program's shows them (combiners.hpp), any pieces. The values of a key come in the order of the input. A
// job is copied by being forked: its maps and reductions may read all its members and all of the program's memory; what
// they write is lost.
#pragma once

#include <concepts>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <dmr/codec.hpp>
#include <dmr/combiners.hpp>
#include <dmr/containers.hpp>
#include <dmr/engine.hpp>
#include <dmr/input.hpp>
#include <dmr/options.hpp>

namespace dmr {

// In place of a combiner: a reduction gets every value.
struct EveryValue {};

// The values of a key, each once: for (const Value& value : values).
template <typename Value>
class Values {
 public:
  explicit Values(ByteValues& bytes) : bytes_(bytes) {}
  bool next(Value& value) {
    std::string_view bytes;
    if (!bytes_.next(bytes)) return false;
    value = ValueCodec<Value>::decode(bytes);
    return true;
  }

  class Iterator {
   public:
    using value_type = Value;
    using difference_type = ptrdiff_t;
    explicit Iterator(Values* values) : values_(values) { ++*this; }
    const Value& operator*() const { return value_; }
    Iterator& operator++() {
      if (!values_->next(value_)) values_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return values_ == nullptr; }

   private:
    Values* values_;
    Value value_{};
  };
  Iterator begin() { return Iterator(this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  ByteValues& bytes_;
};

namespace detail {

// map's emit(key, value) without a combiner.
template <typename Key, typename Value>
class EmitEvery {
 public:
  explicit EmitEvery(Pairs& pairs) : pairs_(pairs) {}
  void operator()(const auto& key, const Value& value) { pairs_.add(encode_(key), encode_value_(value)); }

 private:
  Pairs& pairs_;
  KeyEncoder<Key> encode_;
  ValueEncoder<Value> encode_value_;
};

template <typename Job>
class EveryMaps : public Maps {
 public:
  explicit EveryMaps(const Job& job) : job_(job) {}
  void map(const Piece& piece, Pairs& pairs) override {
    EmitEvery<typename Job::Key, typename Job::Value> emit(pairs);
    job_.map(piece, emit);
  }

 private:
  const Job& job_;
};

template <typename Job, typename Added = typename Job::Value>
using KeptOf = Kept<typename Job::Container, typename Job::Key, typename Job::Combiner, Added>;

template <typename Job>
class CombiningMaps : public Maps {
 public:
  explicit CombiningMaps(const Job& job) : job_(job) {}
  void map(const Piece& piece, Pairs& pairs) override {
    auto emit = [this](const auto& key, const typename Job::Value& value) { kept_.add(key, value); };
    job_.map(piece, emit);
    if (!Job::Combiner::kExact) kept_.give_all(pairs);
  }
  void finish(Pairs& pairs) override {
    kept_.give_all(pairs);
    kept_.shrink();
  }
  void give_part(uint32_t reducer, uint32_t reducers, Pairs& pairs) override {
    kept_.give_part(reducer, reducers, pairs);
  }
  size_t keys_held() override { return kept_.keys(); }
  size_t bytes_held() const override { return kept_.bytes_held(); }

 private:
  const Job& job_;
  KeptOf<Job> kept_;
};

template <typename Job>
class CombiningTable : public Table {
  using State = StateOf<typename Job::Combiner>;

 public:
  void expect(size_t keys, size_t most_bytes) override { kept_.expect(keys, most_bytes); }
  void add(std::string_view key, std::string_view value) override {
    kept_.add_encoded(key, ValueCodec<State>::decode(value));
  }
  void give_all(Pairs& pairs) override {
    kept_.give_all(pairs);
    kept_.shrink();
  }
  size_t bytes_held() const override { return kept_.bytes_held(); }

 private:
  KeptOf<Job, State> kept_{KeptOf<Job, State>::Keys::kOfOnePart};
};

// A typed job as one over bytes.
template <typename Job>
class AsBytes : public ByteJob {
  using Key = typename Job::Key;
  using Value = typename Job::Value;
  using Result = typename Job::Result;
  static_assert(!std::same_as<Key, std::string_view> && !std::same_as<Value, std::string_view> &&
                    !std::same_as<Result, std::string_view>,
                "keys, values and results outlive the bytes they come from: std::string");
  static constexpr bool kCombines = !std::same_as<typename Job::Combiner, EveryValue>;
  static constexpr bool kPartitions = requires(const Job& job, std::string_view key) {
    job.partition(KeyCodec<Key>::decode(key), 1u);
  };

 public:
  explicit AsBytes(const Job& job) : job_(job) {}
  std::unique_ptr<Maps> start_maps() const override {
    if constexpr (kCombines) return std::make_unique<CombiningMaps<Job>>(job_);
    else return std::make_unique<EveryMaps<Job>>(job_);
  }
  std::unique_ptr<Table> start_table() const override {
    if constexpr (kCombines && !kPartitions) {
      if (Job::Combiner::kExact) return std::make_unique<CombiningTable<Job>>();
    }
    return nullptr;
  }
  void reduce(std::string_view key, ByteValues& bytes, ByteResults& results) const override {
    if constexpr (kCombines) {
      const Value value = combined(bytes);
      ValueEncoder<Value> encode;
      OneValue one(encode(value));
      reduce_values(key, one, results);
    } else {
      reduce_values(key, bytes, results);
    }
  }
  uint32_t partition(std::string_view key, uint32_t parts) const override {
    if constexpr (kPartitions) return job_.partition(KeyCodec<Key>::decode(key), parts);
    else if constexpr (kCombines) return KeptOf<Job>::part_of(key, parts);
    else return ByteJob::partition(key, parts);
  }
  Less less() const override {
    if constexpr (requires(const Key& key) { Job::compare(key, key); }) {
      return [](std::string_view a, std::string_view b) {
        return Job::compare(KeyCodec<Key>::decode(a), KeyCodec<Key>::decode(b));
      };
    } else {
      return nullptr;
    }
  }

 private:
  // Put together: how many there are depends on who had which, and on what had to leave memory.
  class OneValue : public ByteValues {
   public:
    explicit OneValue(std::string_view value) : value_(value) {}
    bool next(std::string_view& value) override {
      value = value_;
      return std::exchange(is_left_, false);
    }

   private:
    std::string_view value_;
    bool is_left_ = true;
  };
  static Value combined(ByteValues& bytes) {
    Values<StateOf<typename Job::Combiner>> states(bytes);
    StateOf<typename Job::Combiner> all{}, next{};
    states.next(all);
    while (states.next(next)) Job::Combiner::add(all, next);
    return value_of<typename Job::Combiner>(all);
  }
  void reduce_values(std::string_view key, ByteValues& bytes, ByteResults& results) const {
    Values<Value> values(bytes);
    ValueEncoder<Result> encode;
    const auto emit = [&](const Result& result) { results.add(encode(result)); };
    if constexpr (requires { job_.reduce(KeyCodec<Key>::decode(key), values, emit); }) {
      job_.reduce(KeyCodec<Key>::decode(key), values, emit);
    } else {
      for (const Value& value : values) emit(value);
    }
  }
  const Job& job_;
};

}  // namespace detail

// Base of a job: `Self` is its class, `Combine` a combiner (combiners.hpp) or EveryValue. A Key is a string, a number
// or an array of numbers, or has a KeyCodec; a Value is trivially copyable, a string or a vector of what is (but bool),
// or has a ValueCodec.
template <typename Self, typename K, typename V, typename Combine = EveryValue>
class MapReduce {
 public:
  using Key = K;
  using Value = V;
  using Combiner = Combine;
  // A job may have others of these:
  using Container = ManyKeys;
  using Result = V;

  // All results, in the order of keys, in this space's memory. init() must have been called first in main. Throws
  // JobError, after which nothing is left of the job. Blocks.
  auto run(const Input& input, const Options& options = {}) const {
    std::vector<std::pair<K, typename Self::Result>> all;
    Options clearing = options;
    clearing.skipped = [&](const std::string& what) {
      all.clear();
      if (options.skipped) options.skipped(what);
    };
    run_each(input, clearing, [&](K&& key, auto&& result) { all.emplace_back(std::move(key), std::move(result)); });
    return all;
  }

  // Calls each(key, result) in the order of keys, for results that need not be kept. It may throw, which ends the job.
  template <typename Each>
  Statistics run_each(const Input& input, const Options& options, Each&& each) const {
    const detail::AsBytes<Self> job(static_cast<const Self&>(*this));
    return run_bytes(job, input, options, [&](std::string_view key, std::string_view result) {
      each(KeyCodec<K>::decode(key), ValueCodec<typename Self::Result>::decode(result));
    });
  }
};

}  // namespace dmr
