// Pipelines give the same items in the same order for any number of replicas, in bounded memory.
#include <catch2/catch.hpp>
#include <cstdio>

#include <base/sys.hpp>
#include <dmr/pipeline.hpp>
#include <spmc/frames.hpp>

#include "job.hpp"

using namespace chan_job;

namespace {

constexpr uint32_t kItems = 500;

// A stage whose work depends on the item: none, one or many items of sizes from nothing to some pages.
void expand(const uint32_t& number, dmr::Out<std::string>& out) {
  for (uint32_t i = 0; i < number % 4; ++i) out.emit(pattern(number * 37 % 9000 * i, number));
  if (number % 50 == 7) spmc::base::sleep_ns(2'000'000);
}

void shorten(const std::string& text, dmr::Out<uint64_t>& out) {
  if (text.size() % 3 != 1) out.emit(hash(text));
  if (text.size() % 3 == 2) out.emit(text.size());
}

// The items that come out, for `first` and `second` replicas, folded in their order.
uint64_t run_stages(int first, int second) {
  uint64_t folded = 0, count = 0;
  const auto failure = dmr::source<uint32_t>("count",
                                             [](dmr::Out<uint32_t>& out) {
                                               for (uint32_t i = 0; i < kItems; ++i) out.emit(i);
                                             })
                           .stage<std::string>("expand", first, expand)
                           .stage<uint64_t>("shorten", second, shorten)
                           .run([&](uint64_t item) {
                             folded = folded * 1099511628211u + item;
                             count += 1;
                           });
  if (failure) std::fprintf(stderr, "%s\n", failure->message().c_str());
  EXPECT(!failure);
  EXPECT(count > kItems);
  return folded;
}

struct ToFunction final : dmr::ByteOut {
  explicit ToFunction(std::function<void(dmr::Bytes)> function) : function_(std::move(function)) {}
  void emit(dmr::Bytes item) override { function_(item); }
  std::function<void(dmr::Bytes)> function_;
};

// What the stages do to each item, without a pipeline.
uint64_t run_in_one_space() {
  uint64_t folded = 0;
  ToFunction fold([&](dmr::Bytes item) { folded = folded * 1099511628211u + dmr::Item<uint64_t>::value(item); });
  dmr::Out<uint64_t> shortened(fold);
  ToFunction pass([&](dmr::Bytes item) { shorten(dmr::Item<std::string>::value(item), shortened); });
  dmr::Out<std::string> expanded(pass);
  for (uint32_t i = 0; i < kItems; ++i) expand(i, expanded);
  return folded;
}

}  // namespace

TEST_CASE("the sink gets what one space would have computed, for any number of replicas") {
  run_job(kDefaultMode, [] {
    const uint64_t expected = run_in_one_space();
    for (const int first : {1, 2, 3, 5}) {
      for (const int second : {1, 2, 4}) {
        const uint64_t folded = run_stages(first, second);
        if (folded != expected) std::fprintf(stderr, "%d and %d replicas\n", first, second);
        EXPECT(folded == expected);
      }
    }
    std::printf("%lx\n", static_cast<unsigned long>(expected));
  });
}

TEST_CASE("in every mode") {
  std::string expected;
  for (const Mode mode : kModes) {
    const auto run = run_job(mode, [] { std::printf("%lx\n", static_cast<unsigned long>(run_stages(2, 3))); });
    if (expected.empty()) expected = run.out;
    CHECK(run.out == expected);
  }
}

TEST_CASE("a source alone, no items, and items of every type") {
  run_job(kDefaultMode, [] {
    int none = 0;
    EXPECT(!dmr::source<int>("nothing", [](dmr::Out<int>&) {
            }).stage<int>("idle", 3, [](int, dmr::Out<int>&) {
                std::abort();
              }).run([&](int) { none += 1; }));
    EXPECT(none == 0);

    std::string seen;
    const auto failure =
        dmr::source<std::string>("words",
                                 [](dmr::Out<std::string>& out) {
                                   for (const char* word : {"a", "", "ccc"}) out.emit(word);
                                 })
            .stage<std::vector<int>>("sizes", 2,
                                     [](std::string_view word, dmr::Out<std::vector<int>>& out) {
                                       out.emit(std::vector<int>(word.size(), static_cast<int>(word.size())));
                                     })
            .stage<dmr::Bytes>("raw", 2,
                               [](const std::vector<int>& sizes, dmr::Out<dmr::Bytes>& out) {
                                 out.emit(std::as_bytes(std::span(sizes)));
                               })
            .run([&](dmr::Bytes bytes) { seen += std::to_string(bytes.size()) + " "; });
    EXPECT(!failure);
    EXPECT(seen == "4 0 12 ");
  });
}

TEST_CASE("a pipeline may run again: it starts from what is in memory then") {
  run_job(kDefaultMode, [] {
    int first = 1;
    const auto numbers = dmr::source<int>("numbers", [&, emitted = 0](dmr::Out<int>& out) mutable {
                           while (emitted < 3) out.emit(first + emitted++);
                         }).stage<int>("same", 2, [](int number, dmr::Out<int>& out) { out.emit(number); });
    std::vector<int> seen;
    for (; first < 30; first += 10) EXPECT(!numbers.run([&](int number) { seen.push_back(number); }));
    EXPECT(seen == (std::vector<int>{1, 2, 3, 11, 12, 13, 21, 22, 23}));
  });
}

TEST_CASE("a stage of one replica keeps state, and sees the caller's memory as it was") {
  run_job(kDefaultMode, [] {
    std::vector<int> seen;
    const int offset = 1000;
    int sum = 0;
    const auto failure = dmr::source<int>("numbers",
                                          [](dmr::Out<int>& out) {
                                            for (int i = 1; i <= 5; ++i) out.emit(i);
                                          })
                             .stage<int>("sums", 1,
                                         [&](int number, dmr::Out<int>& out) {
                                           sum += number;
                                           out.emit(offset + sum);
                                         })
                             .run([&](int item) { seen.push_back(item); });
    EXPECT(!failure);
    EXPECT(seen == (std::vector<int>{1001, 1003, 1006, 1010, 1015}));
    EXPECT(sum == 0);  // the stage changed its own
  });
}

namespace {

// So many numbers that items are short, long, and just at the border between (StreamOut::kLongItem).
std::vector<double> numbers_for(int item, int which) {
  constexpr size_t kSizes[] = {0, 3, 511, 512, 513, 6'000};
  std::vector<double> numbers(kSizes[static_cast<size_t>(item + which * 7) % std::size(kSizes)]);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = item + which * 0.25 + static_cast<double>(i);
  return numbers;
}
int emitted_for(int item) { return item * 5 % 4; }

std::string told(std::span<const double> numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return std::to_string(numbers.size()) + " " + std::to_string(sum) + "\n";
}

}  // namespace

TEST_CASE("short and long items, none or several for each, seen where they lie") {
  run_job(kDefaultMode, [] {
    constexpr int kSources = 300;
    std::string expected;
    for (int item = 0; item < kSources; ++item) {
      for (int which = 0; which < emitted_for(item); ++which) expected += told(numbers_for(item, which));
    }
    const auto count = [](dmr::Out<int>& out) {
      for (int item = 0; item < kSources; ++item) out.emit(item);
    };
    const auto grow = [](int item, dmr::Out<std::vector<double>>& out) {
      for (int which = 0; which < emitted_for(item); ++which) out.emit(numbers_for(item, which));
    };
    const auto tell = [](std::span<const double> numbers, dmr::Out<std::string>& out) {
      EXPECT(reinterpret_cast<uintptr_t>(numbers.data()) % dmr::kItemAlignment == 0);
      out.emit(told(numbers));
    };
    for (const int replicas : {1, 2, 3}) {
      std::string seen;
      const auto failure = dmr::source<int>("count", count)
                               .stage<std::vector<double>>("grow", replicas, grow)
                               .stage<std::string>("tell", 4 - replicas, tell)
                               .run([&](std::string_view line) { seen += line; });
      EXPECT(!failure);
      EXPECT(seen == expected);
    }
  });
}

TEST_CASE("memory is bounded however far the sink is behind, and is given back") {
  run_job(kDefaultMode, [] {
    const size_t before = spmc::frames_in_use();
    // Four streams of at most 64 generations of 16 pages with their anchor and extension pages: a quarter of what
    // passes through.
    constexpr size_t kMostFrames = 4 * 64 * (16 + 3);
    size_t items = 0;
    const auto failure = dmr::source<std::string>("pages",
                                                  [](dmr::Out<std::string>& out) {
                                                    for (uint32_t i = 0; i < 5'000; ++i) out.emit(pattern(4'000, 1));
                                                  },
                                                  {.window = 65536})
                             .stage<std::string>("copy", 3,
                                                 [](const std::string& page, dmr::Out<std::string>& out) {
                                                   for (int i = 0; i < 4; ++i) out.emit(page);
                                                 })
                             .run([&](std::string_view page) {
                               EXPECT(page.size() == 4'000);
                               items += 1;
                               if (items % 1'000 == 0) spmc::base::sleep_ns(2'000'000);
                               EXPECT(spmc::frames_in_use() - before <= kMostFrames);
                             });
    EXPECT(!failure);
    EXPECT(items == 20'000);
    EXPECT(spmc::frames_in_use() == before);
  });
}

TEST_CASE("one item may be larger than all windows") {
  run_job(kDefaultMode, [] {
    size_t bytes = 0;
    const auto failure =
        dmr::source<std::string>("large",
                                 [](dmr::Out<std::string>& out) {
                                   for (uint32_t i = 0; i < 3; ++i) out.emit(pattern(9'000'000, i));
                                 },
                                 {.window = 65536})
            .stage<std::string>("same", 2, [](const std::string& item, dmr::Out<std::string>& out) { out.emit(item); })
            .run([&](std::string_view item) {
              EXPECT(item == pattern(9'000'000, static_cast<uint32_t>(bytes / 9'000'000)));
              bytes += item.size();
            });
    EXPECT(!failure);
    EXPECT(bytes == 27'000'000);
  });
}
