// Keys: which are one, in what order they come; and how the values of each are put together.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "root.hpp"
#include "workers.hpp"

using namespace dmr_test;

namespace {

constexpr uint64_t kLittleMemory = 1 << 20;

template <typename Key, typename Value, typename Less>
std::vector<std::pair<Key, Value>> list_of(const std::map<Key, Value, Less>& all) {
  return {all.begin(), all.end()};
}

// --- keys of many lengths ---

constexpr uint64_t kKeys = 60'000;

// The key with a number: of a length that hash tables might treat in a way of its own. What is longer than 16 bytes
// differs from others of its length only between the first eight bytes and the last eight.
std::string key_of(uint64_t number) {
  constexpr size_t kLengths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 63, 64, 65, 100};
  std::string key(kLengths[number % std::size(kLengths)], 'k');
  const size_t edge = key.size() > 16 ? 8 : 0;
  uint64_t rest = number / std::size(kLengths);
  for (size_t at = edge; at + edge < key.size() && rest > 0; ++at, rest /= 256) key[at] = static_cast<char>(rest);
  return key;
}

uint64_t number_of_key(uint64_t n) { return n * 2654435761 % kKeys; }

template <typename Self, typename Combiner>
struct LongAndShort : dmr::MapReduce<Self, std::string, uint64_t, Combiner> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(key_of(number_of_key(n)), n);
  }
};
struct Added : LongAndShort<Added, dmr::Sum<uint64_t>> {};
struct EachValue : LongAndShort<EachValue, dmr::EveryValue> {
  void reduce(const std::string&, dmr::Values<uint64_t>& values, auto& emit) const {
    uint64_t sum = 0;
    for (const uint64_t value : values) sum += value;
    emit(sum);
  }
};

// All keys go to one reducer.
struct ToOne : LongAndShort<ToOne, dmr::Sum<uint64_t>> {
  uint32_t partition(const std::string&, uint32_t) const { return 0; }
};

// Which mapper maps what depends on timing; these jobs wait for each other's pieces where a test needs more. Who waits
// sleeps, so that cores are idle and all mappers are put to work.
class Begun {
 public:
  // Of the pieces that are begun; with this one.
  void add() const { ++count_; }
  void await(uint64_t pieces) const {
    while (count_ < pieces) usleep(1000);
  }

 private:
  static std::atomic<uint64_t>& shared_by_spaces() {
    void* const memory = mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT(memory != MAP_FAILED);
    return *new (memory) std::atomic<uint64_t>(0);
  }
  std::atomic<uint64_t>& count_ = shared_by_spaces();
};

constexpr uint64_t kNumbers = 200'000, kEach = 5'000, kPieces = kNumbers / kEach;

// One mapper has the first piece and no other, and so many keys that it writes them to its file; those of others stay
// in their tables.
struct OneSided : dmr::MapReduce<OneSided, std::string, uint64_t, dmr::Sum<uint64_t>> {
  bool are_several;
  Begun begun;
  explicit OneSided(int workers) : are_several(workers > 1) {}

  static uint64_t keys_of(uint64_t piece) { return piece == 0 ? kKeys / kEach : 1; }
  static std::string key(uint64_t n, uint64_t i) { return key_of(n < kEach ? n * keys_of(0) + i : n % 50); }
  void map(const dmr::Piece& piece, auto& emit) const {
    begun.add();
    for (uint64_t n = piece.begin; n < piece.end; ++n) {
      for (uint64_t i = 0; i < keys_of(piece.number); ++i) emit(key(n, i), n);
    }
    if (are_several && piece.number == 0) begun.await(kPieces);
  }
};

// Each of these keys, several times; and each mapper maps as many pieces as any other: none returns from a piece before
// as many have been begun as there are mappers, and then as many again.
class Evenly : public dmr::MapReduce<Evenly, std::string, uint64_t, dmr::Sum<uint64_t>> {
 public:
  Evenly(const std::vector<std::string>& keys, uint64_t pieces, uint64_t mappers)
      : keys_(keys), pieces_(pieces), mappers_(mappers) {}
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(keys_[n % keys_.size()], n);
    begun_.add();
    begun_.await(std::min(pieces_, (piece.number / mappers_ + 1) * mappers_));
  }

 private:
  const std::vector<std::string>& keys_;
  uint64_t pieces_, mappers_;
  Begun begun_;
};

// Different keys that the usual partition gives to the first of so many reducers, until they have so many bytes.
std::vector<std::string> keys_of_first(uint32_t reducers, size_t bytes) {
  struct Usual : dmr::ByteJob {
    std::unique_ptr<dmr::Maps> start_maps() const override { return nullptr; }
    void reduce(std::string_view, dmr::ByteValues&, dmr::ByteResults&) const override {}
  };
  std::set<std::string> keys;
  for (uint64_t n = 0; bytes > 0; ++n) {
    const std::string key = key_of(n);
    if (Usual().partition(key, reducers) != 0 || !keys.insert(key).second) continue;
    bytes -= std::min(bytes, key.size());
  }
  return {keys.begin(), keys.end()};
}

template <typename Job>
void check_sums(const std::vector<std::pair<std::string, uint64_t>>& expected) {
  for (const int workers : kWorkers) {
    for (const uint64_t memory : {uint64_t{0}, kLittleMemory}) {
      std::vector<std::pair<std::string, uint64_t>> got;
      const auto take = [&](std::string&& key, uint64_t sum) { got.emplace_back(std::move(key), sum); };
      const auto statistics = Job().run_each(dmr::Input::numbers(kNumbers, kEach), with(workers, memory), take);
      EXPECT(got == expected);
      EXPECT((statistics.bytes_spilled > 0) == (memory > 0));
      EXPECT(statistics.pairs_out == expected.size());
    }
  }
}

}  // namespace

TEST_CASE("keys of all lengths, with a combiner and without, in much memory and in little") {
  run_root([] {
    std::map<std::string, uint64_t> expected;
    for (uint64_t n = 0; n < kNumbers; ++n) expected[key_of(number_of_key(n))] += n;
    EXPECT(expected.size() > 50'000 && expected.begin()->first.empty());
    check_sums<Added>(list_of(expected));
    check_sums<EachValue>(list_of(expected));
  });
}

TEST_CASE("some workers have more keys than fit in memory, others do not") {
  run_root([] {
    std::map<std::string, uint64_t> expected;
    for (uint64_t n = 0; n < kNumbers; ++n) {
      for (uint64_t i = 0; i < OneSided::keys_of(n / kEach); ++i) expected[OneSided::key(n, i)] += n;
    }
    EXPECT(expected.size() > kKeys / 2);
    const auto input = dmr::Input::numbers(kNumbers, kEach);
    for (const int workers : {1, 2, 4}) {
      std::vector<std::pair<std::string, uint64_t>> got;
      const auto take = [&](std::string&& key, uint64_t sum) { got.emplace_back(std::move(key), sum); };
      const auto statistics = OneSided(workers).run_each(input, with(workers, kLittleMemory), take);
      EXPECT(got == list_of(expected));
      EXPECT(statistics.bytes_spilled > 0);
    }
  });
}

TEST_CASE("a reducer has more keys than fit in memory, mappers do not") {
  run_root([] {
    // One reducer of 16 gets all keys. Mappers and reducers have half of the memory each, in equal parts; that the
    // reducer's is too small follows from the bytes of the keys alone, however they are kept.
    constexpr uint32_t kReducers = 16;
    constexpr uint64_t kMemory = 32 << 20, kOfReducer = kMemory / 2 / kReducers;
    const auto keys = keys_of_first(kReducers, kOfReducer * 3 / 2);
    // All keys are in the first 24 pieces, and again in the next: each mapper has an eighth of them at most.
    const uint64_t count = 2 * keys.size(), each = keys.size() / 24 + 1;
    std::map<std::string, uint64_t> expected;
    for (uint64_t n = 0; n < count; ++n) expected[keys[n % keys.size()]] += n;

    std::vector<std::pair<std::string, uint64_t>> got;
    const auto take = [&](std::string&& key, uint64_t sum) { got.emplace_back(std::move(key), sum); };
    const auto input = dmr::Input::numbers(count, each);
    const auto statistics = Evenly(keys, input.pieces(), kReducers).run_each(input, with(kReducers, kMemory), take);
    EXPECT(got == list_of(expected));
    EXPECT(statistics.bytes_spilled == 0);
  });
}

TEST_CASE("the partition of a job gives all keys to one reducer") {
  run_root([] {
    constexpr uint64_t kFew = 24'000;
    std::map<std::string, uint64_t> expected;
    for (uint64_t n = 0; n < kFew; ++n) expected[key_of(number_of_key(n))] += n;
    EXPECT(ToOne().run(dmr::Input::numbers(kFew, 1000), with(8, 8 << 20)) == list_of(expected));
  });
}

// --- an order in which different keys are equal ---

namespace {

std::string folded(std::string_view key) {
  std::string small(key);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}
struct CaseBlind {
  bool operator()(const std::string& a, const std::string& b) const {
    return std::pair(folded(a), a) < std::pair(folded(b), b);
  }
};

// Up to three letters, small or not.
std::string letters_of(uint64_t n) {
  std::string letters;
  for (uint64_t rest = n % 211; rest > 0; rest /= 6) letters += "aAbBcC"[rest % 6];
  return letters;
}

template <typename Self, typename Combiner>
struct CountBlindly : dmr::MapReduce<Self, std::string, uint64_t, Combiner> {
  static bool compare(const std::string& a, const std::string& b) { return folded(a) < folded(b); }
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(letters_of(n), n);
  }
};
struct BlindSums : CountBlindly<BlindSums, dmr::Sum<uint64_t>> {};
struct BlindFirsts : CountBlindly<BlindFirsts, dmr::First<uint64_t>> {};
struct BlindValues : CountBlindly<BlindValues, dmr::EveryValue> {
  void reduce(const std::string& key, dmr::Values<uint64_t>& values, auto& emit) const {
    uint64_t sum = 0;
    for (const uint64_t n : values) {
      EXPECT(letters_of(n) == key);
      sum += n;
    }
    emit(sum);
  }
};

}  // namespace

TEST_CASE("keys of which none is less are two keys all the same") {
  run_root([] {
    std::map<std::string, uint64_t, CaseBlind> sums, firsts;
    for (uint64_t n = 0; n < 20'000; ++n) {
      sums[letters_of(n)] += n;
      firsts.try_emplace(letters_of(n), n);
    }
    EXPECT(sums.size() == 211);
    const auto input = dmr::Input::numbers(20'000, 333);
    for (const int workers : {1, 2, 5}) {
      EXPECT(BlindSums().run(input, with(workers)) == list_of(sums));
      EXPECT(BlindFirsts().run(input, with(workers)) == list_of(firsts));
      EXPECT(BlindValues().run(input, with(workers)) == list_of(sums));
    }
  });
}

// --- combiners ---

namespace {

// Numbers on both sides of zero, in no order.
template <typename Number>
Number value_of(uint64_t n) {
  return (static_cast<Number>(n * 2654435761 % 100'003) - 50'000) / 3;
}

template <typename Number, typename Combiner>
struct Combined : dmr::MapReduce<Combined<Number, Combiner>, uint32_t, Number, Combiner> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(static_cast<uint32_t>(n * n % 1009), value_of<Number>(n));
  }
};

template <typename Number, typename Combiner, typename Choose>
void check_combiner(Choose&& choose) {
  constexpr uint64_t kCount = 50'000;
  std::map<uint32_t, Number> expected;
  for (uint64_t n = 0; n < kCount; ++n) {
    const auto [at, is_new] = expected.try_emplace(static_cast<uint32_t>(n * n % 1009), value_of<Number>(n));
    if (!is_new) at->second = choose(at->second, value_of<Number>(n));
  }
  for (const int workers : kWorkers) {
    const auto got = Combined<Number, Combiner>().run(dmr::Input::numbers(kCount, 777), with(workers));
    EXPECT(got == list_of(expected));
  }
}

template <typename Number>
void check_choosing_combiners() {
  check_combiner<Number, dmr::Least<Number>>([](Number a, Number b) { return a < b ? a : b; });
  check_combiner<Number, dmr::Greatest<Number>>([](Number a, Number b) { return a > b ? a : b; });
  check_combiner<Number, dmr::First<Number>>([](Number a, Number) { return a; });
}

}  // namespace

TEST_CASE("the least, the greatest, the first") {
  run_root([] {
    check_choosing_combiners<int64_t>();
    check_choosing_combiners<double>();
  });
}
