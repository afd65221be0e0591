// The typed interface: results against a sequential computation, for any number of workers and any memory.
#include <map>
#include <numeric>

#include <chan/chan.h>

#include "exact_reference.hpp"
#include "root.hpp"
#include "workers.hpp"

using namespace dmr_test;

namespace {

constexpr uint64_t kMemory[] = {0, 1 << 20};  // the second makes mappers write to their files

// Lines of words, of which some are long.
std::string make_text(size_t bytes, uint64_t words) {
  Random random(1);
  std::string text;
  while (text.size() < bytes) {
    const uint64_t word = random.below(words) * random.below(words) / words;
    text += 'w' + std::to_string(word * word);
    if (word % 50 == 0) text.append(word % 200, 'x');
    text += random.below(10) == 0 ? '\n' : ' ';
  }
  return text;
}
const std::string& text() {
  static const std::string made = make_text(3 << 20, 20000);
  return made;
}

template <typename Take>
void each_word(std::string_view text, Take&& take) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", at), text.size());
    if (end > at) take(text.substr(at, end - at));
    at = end + 1;
  }
}

struct WordCount : dmr::MapReduce<WordCount, std::string, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece& piece, auto& emit) const {
    each_word(piece.data, [&](std::string_view word) { emit(word, 1); });
  }
};

// Rounding at each step would show the order of the sum.
double weight(std::string_view word) { return 1.0 / static_cast<double>(word.size() + word.back()); }
struct Weights : dmr::MapReduce<Weights, uint32_t, double, dmr::Sum<double>> {
  void map(const dmr::Piece& piece, auto& emit) const {
    each_word(piece.data, [&](std::string_view word) { emit(static_cast<uint32_t>(word.size()), weight(word)); });
  }
};
struct FewWeightsJob : dmr::MapReduce<FewWeightsJob, uint32_t, double, dmr::Sum<double>> {
  using Container = dmr::FewKeys<1000>;
  void map(const dmr::Piece& piece, auto& emit) const { Weights().map(piece, emit); }
};

// Of the words of each length: how often each byte is the last, times a number.
template <typename Number>
struct LastBytes : dmr::MapReduce<LastBytes<Number>, uint32_t, std::vector<Number>, dmr::SumOfEach<Number>> {
  void map(const dmr::Piece& piece, auto& emit) const {
    each_word(piece.data, [&](std::string_view word) {
      if (word.size() > 4) return;
      std::vector<Number> bytes(static_cast<size_t>(static_cast<uint8_t>(word.back())) + 1);  // of many lengths
      bytes.back() = static_cast<Number>(1 / 3.0 + static_cast<double>(word.size()));
      emit(static_cast<uint32_t>(word.size()), bytes);
    });
  }
};

// Where each word begins, in a string: the order of values is seen.
struct Places : dmr::MapReduce<Places, std::string, uint64_t> {
  using Result = std::string;
  void map(const dmr::Piece& piece, auto& emit) const {
    each_word(piece.data, [&](std::string_view word) {
      if (word.size() < 5) emit(word, piece.begin + static_cast<uint64_t>(word.data() - piece.data.data()));
    });
  }
  void reduce(const std::string& word, dmr::Values<uint64_t>& places, auto& emit) const {
    std::string list = std::to_string(word.size());
    for (const uint64_t place : places) list += ' ' + std::to_string(place);
    emit(list);
  }
};

template <typename Job>
auto run_on_text(const Job& job, const dmr::Options& options) {
  return job.run(dmr::Input::memory(text(), dmr::Records::blanks()), options);
}

// The same for all numbers of workers and all memories; the first is returned.
template <typename Job>
auto same_for_all(const Job& job) {
  const auto first = run_on_text(job, with(1));
  EXPECT(!first.empty());
  for (const int workers : kWorkers) {
    for (const uint64_t memory : kMemory) EXPECT(run_on_text(job, with(workers, memory)) == first);
  }
  return first;
}

}  // namespace

TEST_CASE("words are counted") {
  run_root([] {
    std::map<std::string, uint64_t> expected;
    each_word(text(), [&](std::string_view word) { expected[std::string(word)] += 1; });
    const auto counts = same_for_all(WordCount());
    EXPECT(std::equal(counts.begin(), counts.end(), expected.begin(), expected.end(),
                      [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
  });
}

TEST_CASE("sums of floating-point numbers have the same bits") {
  run_root([] {
    std::map<uint32_t, std::vector<double>> numbers;
    std::map<uint32_t, double> plain;
    each_word(text(), [&](std::string_view word) {
      numbers[static_cast<uint32_t>(word.size())].push_back(weight(word));
      plain[static_cast<uint32_t>(word.size())] += weight(word);
    });
    std::vector<std::pair<uint32_t, double>> expected;
    for (const auto& [key, of_key] : numbers) expected.emplace_back(key, reference_sum(of_key));
    EXPECT(same_for_all(Weights()) == expected);
    EXPECT(same_for_all(FewWeightsJob()) == expected);
    // Any sum would do if rounding did not show it.
    EXPECT(expected != (std::vector<std::pair<uint32_t, double>>(plain.begin(), plain.end())));
  });
}

TEST_CASE("sums of vectors") {
  run_root([] {
    std::map<uint32_t, std::vector<uint64_t>> expected;
    each_word(text(), [&](std::string_view word) {
      if (word.size() > 4) return;
      auto& sums = expected[static_cast<uint32_t>(word.size())];
      sums.resize(std::max(sums.size(), static_cast<size_t>(word.back()) + 1));
      sums[static_cast<size_t>(word.back())] += word.size();
    });
    const auto sums = same_for_all(LastBytes<uint64_t>());
    EXPECT(sums == (std::vector<std::pair<uint32_t, std::vector<uint64_t>>>(expected.begin(), expected.end())));
    const auto doubles = same_for_all(LastBytes<double>());
    EXPECT(doubles.size() == sums.size());
    for (size_t i = 0; i < sums.size(); ++i) EXPECT(doubles[i].second.size() == sums[i].second.size());
  });
}

TEST_CASE("a reduction gets every value, in the order of the input") {
  run_root([] {
    std::map<std::string, std::string> expected;
    each_word(text(), [&](std::string_view word) {
      if (word.size() >= 5) return;
      std::string& list = expected[std::string(word)];
      if (list.empty()) list = std::to_string(word.size());
      list += ' ' + std::to_string(word.data() - text().data());
    });
    const auto places = same_for_all(Places());
    EXPECT(places == (std::vector<std::pair<std::string, std::string>>(expected.begin(), expected.end())));
  });
}

TEST_CASE("the same for pieces of any size") {
  run_root([] {
    const auto run_on = [](const auto& job, uint64_t piece_bytes) {
      return job.run(dmr::Input::memory(text(), dmr::Records::blanks(), piece_bytes), with(3));
    };
    const auto counts = run_on(WordCount(), dmr::kPieceBytes);
    const auto places = run_on(Places(), dmr::kPieceBytes);
    const auto weights = run_on(Weights(), dmr::kPieceBytes);
    const auto last_bytes = run_on(LastBytes<double>(), dmr::kPieceBytes);
    for (const uint64_t piece_bytes : {1u << 10, 100'003u, 1u << 30}) {
      EXPECT(run_on(WordCount(), piece_bytes) == counts);
      EXPECT(run_on(Places(), piece_bytes) == places);
      EXPECT(run_on(Weights(), piece_bytes) == weights);
      EXPECT(run_on(LastBytes<double>(), piece_bytes) == last_bytes);
    }
  });
}

namespace {

struct Backwards : dmr::MapReduce<Backwards, int32_t, int64_t, dmr::Greatest<int64_t>> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) {
      emit(static_cast<int32_t>(n % 1001) - 500, static_cast<int64_t>(n));
    }
  }
  static bool compare(int32_t a, int32_t b) { return a > b; }
  uint32_t partition(int32_t key, uint32_t parts) const { return static_cast<uint32_t>(key + 500) % parts; }
};

struct EveryThird : dmr::MapReduce<EveryThird, int64_t, int32_t> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(-static_cast<int64_t>(n % 7), static_cast<int32_t>(n));
  }
  // No result for some keys, two for others; not all values are looked at.
  void reduce(int64_t key, dmr::Values<int32_t>& values, auto& emit) const {
    if (key % 2 != 0) return;
    int32_t first = 0;
    EXPECT(values.next(first));
    emit(first);
    emit(first + 1);
  }
};

struct Stretch {
  double at, length;
  bool operator==(const Stretch&) const = default;
};
struct Longest : dmr::MapReduce<Longest, double, Stretch> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) {
      const double x = static_cast<double>(n % 5) - 2.5;
      emit(x, Stretch{x, static_cast<double>(n)});
    }
  }
  void reduce(double key, dmr::Values<Stretch>& values, auto& emit) const {
    Stretch longest{key, -1};
    for (const Stretch& s : values) longest = s.length > longest.length ? s : longest;
    emit(longest);
  }
  using Result = Stretch;
};

}  // namespace

TEST_CASE("an order and a partition of the program's") {
  run_root([] {
    const auto input = dmr::Input::numbers(100000, 777);
    for (const int workers : kWorkers) {
      const auto all = Backwards().run(input, with(workers));
      EXPECT(all.size() == 1001);
      for (size_t i = 0; i < all.size(); ++i) {
        EXPECT(all[i].first == 500 - static_cast<int32_t>(i));
        EXPECT(all[i].second % 1001 == 1000 - static_cast<int64_t>(i) && all[i].second > 100000 - 1002);
      }
    }
  });
}

TEST_CASE("a reduction may have no results, or several, and need not look at all values") {
  run_root([] {
    using Pairs = std::vector<std::pair<int64_t, int32_t>>;
    const Pairs expected = {{-6, 6}, {-6, 7}, {-4, 4}, {-4, 5}, {-2, 2}, {-2, 3}, {0, 0}, {0, 1}};
    for (const int workers : kWorkers) {
      EXPECT(EveryThird().run(dmr::Input::numbers(5000, 10), with(workers)) == expected);
    }
  });
}

TEST_CASE("keys that are floating-point numbers, values that are structures") {
  run_root([] {
    const auto all = Longest().run(dmr::Input::numbers(1000, 64), with(3));
    EXPECT(all.size() == 5);
    for (size_t i = 0; i < 5; ++i) {
      const double key = static_cast<double>(i) - 2.5;
      EXPECT(all[i].first == key && (all[i].second == Stretch{key, 995 + static_cast<double>(i)}));
    }
  });
}

TEST_CASE("one job after the other, and one from the results of another") {
  const std::string out = run_root([] {
    for (int i = 0; i < 5; ++i) {
      const auto counts = run_on_text(WordCount(), with(2));
      std::string joined;
      for (const auto& [word, count] : counts) joined += word + ' ';
      const auto again = WordCount().run(dmr::Input::memory(joined, dmr::Records::blanks()), with(3));
      EXPECT(again.size() == counts.size());
      for (const auto& [word, count] : again) EXPECT(count == 1);
      std::printf("%zu\n", again.size());
    }
  });
  CHECK(out.size() > 10);
}

TEST_CASE("a job gives back what its channels took") {
  run_root([] {
    // There is room for one job or two, not for the channels of one more from each that has been.
    const chan_id rest = chan_alloc_window((size_t{1} << 30) - (4 << 20));
    EXPECT(rest >= 0);
    const auto input = dmr::Input::memory("a few words", dmr::Records::blanks(), 4);
    for (int i = 0; i < 20; ++i) {
      EXPECT(WordCount().run(input, with(2)).size() == 3);
      const auto fail = [](std::string&&, uint64_t) { throw dmr::JobError("no results are wanted"); };
      EXPECT(failure_of([&] { WordCount().run_each(input, with(2), fail); }) == "no results are wanted");
    }
    EXPECT(chan_free(rest) == 0);
  });
}

TEST_CASE("nothing in, nothing out") {
  run_root([] {
    EXPECT(WordCount().run(dmr::Input::memory(""), with(3)).empty());
    EXPECT(WordCount().run(dmr::Input::files({}), with(1)).empty());
    EXPECT(WordCount().run(dmr::Input::memory(" \n \n", dmr::Records::blanks()), with(8)).empty());
    EXPECT(Backwards().run(dmr::Input::numbers(0, 5), with(2)).empty());
  });
}

TEST_CASE("what the sink throws ends the job") {
  run_root([] {
    int calls = 0;
    try {
      WordCount().run_each(dmr::Input::memory(text(), dmr::Records::blanks()), with(2), [&](std::string&&, uint64_t) {
        if (++calls == 10) throw 7;
      });
      EXPECT(false);
    } catch (int thrown) {
      EXPECT(thrown == 7 && calls == 10);
    }
    EXPECT(run_on_text(WordCount(), with(2)).size() > 100);
  });
}

TEST_CASE("more workers than there are, or none") {
  run_root([] {
    EXPECT(has(failure_of([] { run_on_text(WordCount(), with(65)); }), "65, not 1 to 64"));
    EXPECT(has(failure_of([] { run_on_text(WordCount(), with(-1)); }), "-1, not 1 to 64"));
    EXPECT(!run_on_text(WordCount(), with(64)).empty());
  });
}
