// Combiners do not show how the input was split: the same bits for pieces of any size, any number of workers and any
// memory. Floating-point sums are those of an independent exact computation.
#include <cmath>
#include <limits>
#include <map>

#include "exact_reference.hpp"
#include "root.hpp"
#include "workers.hpp"

using namespace dmr_test;

namespace {

constexpr uint64_t kCount = 60'000, kPieces[] = {kCount, 7'001, 77}, kLittle = 64 << 10;

uint64_t mixed(uint64_t n) {
  n = (n ^ n >> 31) * 0x9e3779b97f4a7c15u;
  n = (n ^ n >> 29) * 0xbf58476d1ce4e5b9u;
  return n ^ n >> 32;
}

// Of all sizes, with either sign. Some are taken away again by the one before or behind, perhaps of another piece.
template <typename T>
T number_of(uint64_t n) {
  const uint64_t bits = mixed(n / 2);
  const int most = std::numeric_limits<T>::max_exponent / (bits % 3 == 0 ? 1 : 40);
  const int exponent = static_cast<int>(bits >> 40) % most * (bits >> 39 & 1 ? 1 : -1);
  const T number = std::ldexp(static_cast<T>(1 + (bits % 1000) / T{3000}), exponent - 1);
  return n % 2 == 0 ? number : bits % 5 == 0 ? number / 3 : -number;
}

// The key of each number below kCount. Many keys do not fit in little memory.
enum class Keys { kFew, kMany, kLong };
template <Keys kKeys>
auto key_of(uint64_t n) {
  if constexpr (kKeys == Keys::kFew) return static_cast<uint32_t>(mixed(n) % 10);
  else if constexpr (kKeys == Keys::kMany) return static_cast<uint32_t>(mixed(n / 4) % (kCount / 3));
  else return std::string(100, 'k') + std::to_string(mixed(n) % 500);
}
template <Keys kKeys>
using KeyOf = decltype(key_of<kKeys>(0));

template <typename T, Keys kKeys, typename Combiner = dmr::Sum<T>, typename Keeps = dmr::ManyKeys>
struct Combined : dmr::MapReduce<Combined<T, kKeys, Combiner, Keeps>, KeyOf<kKeys>, T, Combiner> {
  using Container = Keeps;
  T (*number)(uint64_t) = number_of<T>;
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(key_of<kKeys>(n), number(n));
  }
};

// Of three numbers, the last of which is not always there.
template <typename T>
struct Vectors : dmr::MapReduce<Vectors<T>, uint32_t, std::vector<T>, dmr::SumOfEach<T>> {
  static std::vector<T> numbers_of(uint64_t n) {
    std::vector<T> numbers = {number_of<T>(n), T{1} / static_cast<T>(n + 1), number_of<T>(n + 1)};
    if (n % 3 == 0) numbers.pop_back();
    return numbers;
  }
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(key_of<Keys::kMany>(n), numbers_of(n));
  }
};

// As bits.
template <typename T>
auto bits_of_all(const T& value) {
  if constexpr (std::floating_point<T>) {
    return bits_of(value);
  } else if constexpr (requires { value.size(); }) {
    std::vector<decltype(bits_of(value[0]))> bits;
    for (const auto number : value) bits.push_back(bits_of(number));
    return bits;
  } else {
    return value;
  }
}
template <typename Key, typename T>
auto bits_of_results(const std::vector<std::pair<Key, T>>& results) {
  std::vector<std::pair<Key, decltype(bits_of_all(results[0].second))>> all;
  for (const auto& [key, value] : results) all.emplace_back(key, bits_of_all(value));
  return all;
}

// The same bits for all splits, workers and memories; returns the results.
template <typename Job>
auto same_for_all_splits(const Job& job) {
  const auto first = job.run(dmr::Input::numbers(kCount, kCount), with(1));
  for (const uint64_t each : kPieces) {
    for (const int workers : kWorkers) {
      const uint64_t memory = workers < 8 ? kLittle : 0;
      const auto got = job.run(dmr::Input::numbers(kCount, each), with(workers, memory));
      EXPECT(bits_of_results(got) == bits_of_results(first));
    }
  }
  return first;
}

template <typename T, Keys kKeys>
std::vector<std::pair<KeyOf<kKeys>, T>> exact_sums() {
  std::map<KeyOf<kKeys>, std::vector<T>> numbers;
  for (uint64_t n = 0; n < kCount; ++n) numbers[key_of<kKeys>(n)].push_back(number_of<T>(n));
  std::vector<std::pair<KeyOf<kKeys>, T>> sums;
  for (const auto& [key, of_key] : numbers) sums.emplace_back(key, reference_sum(of_key));
  return sums;
}

// Added up piece by piece, then the pieces in their order.
template <typename T, Keys kKeys>
std::vector<std::pair<KeyOf<kKeys>, T>> plain_sums(uint64_t each) {
  std::map<KeyOf<kKeys>, T> sums;
  for (uint64_t from = 0; from < kCount; from += each) {
    std::map<KeyOf<kKeys>, T> of_piece;
    for (uint64_t n = from; n < std::min(from + each, kCount); ++n) of_piece[key_of<kKeys>(n)] += number_of<T>(n);
    for (const auto& [key, sum] : of_piece) sums[key] += sum;
  }
  return {sums.begin(), sums.end()};
}

template <typename T, Keys kKeys>
void check_sums() {
  const auto expected = exact_sums<T, kKeys>();
  EXPECT(bits_of_results(same_for_all_splits(Combined<T, kKeys>())) == bits_of_results(expected));
}

}  // namespace

TEST_CASE("plain sums would show how the input is split") {
  const auto differ = [](const auto& a, const auto& b) { return bits_of_results(a) != bits_of_results(b); };
  for (const uint64_t each : {7'001, 77}) {
    CHECK(differ(plain_sums<double, Keys::kFew>(each), plain_sums<double, Keys::kFew>(kCount)));
    CHECK(differ(plain_sums<float, Keys::kFew>(each), plain_sums<float, Keys::kFew>(kCount)));
    CHECK(differ(plain_sums<double, Keys::kFew>(each), exact_sums<double, Keys::kFew>()));
  }
}

TEST_CASE("exact sums of few keys do not show it") {
  run_root([] {
    check_sums<double, Keys::kFew>();
    check_sums<float, Keys::kFew>();
    const auto in_array = same_for_all_splits(Combined<double, Keys::kFew, dmr::Sum<double>, dmr::FewKeys<16>>());
    EXPECT(bits_of_results(in_array) == bits_of_results(exact_sums<double, Keys::kFew>()));
  });
}

TEST_CASE("exact sums of many and of long keys do not show it, in temporary files either") {
  run_root([] {
    check_sums<double, Keys::kMany>();
    check_sums<float, Keys::kMany>();
    check_sums<double, Keys::kLong>();
    const auto ignore = [](auto&&, auto&&) {};
    const Combined<double, Keys::kMany> job;
    EXPECT(job.run_each(dmr::Input::numbers(kCount, 1'000), with(3, kLittle), ignore).bytes_spilled > 0);
    EXPECT(job.run_each(dmr::Input::numbers(kCount, 1'000), with(2), ignore).bytes_spilled == 0);
  });
}

TEST_CASE("exact sums of vectors do not show it") {
  run_root([] {
    std::map<uint32_t, std::vector<std::vector<double>>> expected;
    for (uint64_t n = 0; n < kCount; ++n) {
      auto& of_key = expected[key_of<Keys::kMany>(n)];
      const auto numbers = Vectors<double>::numbers_of(n);
      if (of_key.size() < numbers.size()) of_key.resize(numbers.size());
      for (size_t i = 0; i < numbers.size(); ++i) of_key[i].push_back(numbers[i]);
    }
    const auto got = same_for_all_splits(Vectors<double>());
    EXPECT(got.size() == expected.size());
    for (const auto& [key, sums] : got) {
      EXPECT(sums.size() == expected[key].size());
      for (size_t i = 0; i < sums.size(); ++i) EXPECT(bits_of(sums[i]) == bits_of(reference_sum(expected[key][i])));
    }
    same_for_all_splits(Vectors<float>());
  });
}

namespace {

// Zeros of both signs, infinities, and what is no number, with several bits.
double odd_number(uint64_t n) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const uint64_t key = key_of<Keys::kMany>(n) % 6, bits = mixed(n + 1);
  if (key == 0) return bits % 2 == 0 ? 0.0 : -0.0;
  if (key == 1) return -0.0;
  if (key == 2 && bits % 4 == 0) return kInfinity;
  if (key == 3) return bits % 2 == 0 ? kInfinity : -kInfinity;
  if (key == 4 && bits % 3 == 0) return std::bit_cast<double>((bits << 63) | uint64_t{0x7ff8} << 48 | bits % 1000);
  return std::ldexp(static_cast<double>(bits % 7) - 3, key == 5 ? 1021 : 0);
}

template <typename Combiner>
auto combine_odd_numbers() {
  return same_for_all_splits(Combined<double, Keys::kMany, Combiner>{{}, odd_number});
}

double least_of(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return dmr::detail::ordered_bits(a) < dmr::detail::ordered_bits(b) ? a : b;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

}  // namespace

TEST_CASE("zeros, infinities and what is no number do not show it") {
  run_root([] {
    std::map<uint32_t, double> least, first;
    for (uint64_t n = 0; n < kCount; ++n) {
      const uint32_t key = key_of<Keys::kMany>(n);
      const auto [at, is_new] = least.try_emplace(key, odd_number(n));
      if (!is_new) at->second = least_of(at->second, odd_number(n));
      first.try_emplace(key, odd_number(n));
    }
    using Results = std::vector<std::pair<uint32_t, double>>;
    const auto sums = combine_odd_numbers<dmr::Sum<double>>();
    for (const auto& [key, sum] : sums) {
      if (key % 6 == 1) EXPECT(bits_of(sum) == bits_of(-0.0));
      if (std::isnan(sum)) EXPECT(bits_of(sum) == uint64_t{0x7ff8} << 48);
    }
    EXPECT(bits_of_results(combine_odd_numbers<dmr::Least<double>>()) ==
           bits_of_results(Results(least.begin(), least.end())));
    EXPECT(bits_of_results(combine_odd_numbers<dmr::First<double>>()) ==
           bits_of_results(Results(first.begin(), first.end())));
    const auto greatest = combine_odd_numbers<dmr::Greatest<double>>();
    for (size_t i = 0; i < greatest.size(); ++i) {
      const auto [key, number] = greatest[i];
      EXPECT(std::isnan(number) == std::isnan(least[key]));
      EXPECT(std::isnan(number) || number >= least[key]);
      if (key % 6 == 1) EXPECT(bits_of(number) == bits_of(-0.0));
    }
  });
}

// --- combiners of the program's ---

namespace {

// With a state that is more than the value.
struct Mean {
  using Value = double;
  struct State {
    dmr::ExactSum sum;
    uint64_t count = 0;
  };
  static constexpr bool kExact = true;
  static void add(State& into, double next) {
    into.sum.add(next);
    ++into.count;
  }
  static void add(State& into, const State& next) {
    into.sum.add(next.sum);
    into.count += next.count;
  }
  static double value(const State& state) { return state.sum.rounded<double>() / static_cast<double>(state.count); }
};

// One that takes what comes as it comes.
struct PlainSum {
  using Value = double;
  static constexpr bool kExact = false;
  static void add(double& into, double next) { into += next; }
};
// The same by way of a state: in halves.
struct HalfSum {
  using Value = double;
  struct State {
    double half = 0;
  };
  static constexpr bool kExact = false;
  static void add(State& into, double next) { into.half += next / 2; }
  static void add(State& into, const State& next) { into.half += next.half; }
  static double value(const State& state) { return state.half * 2; }
};

double small_number(uint64_t n) { return 1 / (static_cast<double>(mixed(n) % 1000) + 3); }

}  // namespace

template <>
struct dmr::ValueCodec<Mean::State> {
  static void encode(const Mean::State& state, std::string& to) {
    to.append(ValueCodec<uint64_t>::bytes(state.count));
    state.sum.append_to(to);
  }
  static Mean::State decode(std::string_view bytes) {
    Mean::State state;
    state.count = ValueCodec<uint64_t>::decode(bytes);
    bytes.remove_prefix(sizeof state.count);
    state.sum = ExactSum::take_from(bytes);
    return state;
  }
};

TEST_CASE("a combiner of the program's with an exact sum in its state does not show it") {
  run_root([] {
    std::map<uint32_t, std::vector<double>> numbers;
    for (uint64_t n = 0; n < kCount; ++n) numbers[key_of<Keys::kMany>(n)].push_back(small_number(n));
    const auto means = same_for_all_splits(Combined<double, Keys::kMany, Mean>{{}, small_number});
    EXPECT(means.size() == numbers.size());
    for (const auto& [key, mean] : means) {
      EXPECT(mean == reference_sum(numbers[key]) / static_cast<double>(numbers[key].size()));
    }
  });
}

TEST_CASE("a combiner that is not exact shows the split, and nothing else") {
  run_root([] {
    const auto check = [](const auto& job) {
      std::vector<std::vector<std::pair<uint32_t, double>>> all;
      for (const uint64_t each : {kCount, uint64_t{77}}) {
        all.push_back(job.run(dmr::Input::numbers(kCount, each), with(1)));
        for (const int workers : kWorkers) {
          EXPECT(job.run(dmr::Input::numbers(kCount, each), with(workers, kLittle)) == all.back());
        }
      }
      EXPECT(all[0] != all[1]);
      return all[0];
    };
    const auto plain = check(Combined<double, Keys::kFew, PlainSum>{{}, small_number});
    EXPECT(check(Combined<double, Keys::kFew, HalfSum>{{}, small_number}) == plain);
  });
}

// --- values that are encoded ---

namespace {

struct Note {
  std::string text;
  uint64_t number = 0;
};
struct Notes : dmr::MapReduce<Notes, uint64_t, Note> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(n % 10, Note{std::string(n % 5, 'n'), n});
  }
};

}  // namespace

template <>
struct dmr::ValueCodec<Note> {
  static void encode(const Note& note, std::string& to) {
    to.append(ValueCodec<uint64_t>::bytes(note.number));
    to.append(note.text);
  }
  static Note decode(std::string_view bytes) {
    return {std::string(bytes.substr(sizeof(uint64_t))), ValueCodec<uint64_t>::decode(bytes)};
  }
};

TEST_CASE("values that do not lie in memory as they travel") {
  run_root([] {
    for (const int workers : kWorkers) {
      const auto notes = Notes().run(dmr::Input::numbers(1'000, 90), with(workers));
      EXPECT(notes.size() == 1'000);
      for (uint64_t i = 0; i < notes.size(); ++i) {
        const auto& [key, note] = notes[i];
        EXPECT(key == i / 100 && note.number == i % 100 * 10 + key && note.text == std::string(note.number % 5, 'n'));
      }
    }
  });
}
