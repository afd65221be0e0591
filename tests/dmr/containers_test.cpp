// Where pairs are kept, and what reductions see of it.
#include <string>
#include <vector>

#include "root.hpp"

using namespace dmr_test;

namespace {

constexpr uint64_t kLittleMemory = 1 << 20;

// How many values a key has depends on nothing but the job.
struct CountsValues : dmr::MapReduce<CountsValues, uint64_t, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(n % 20'000, 1);
  }
  void reduce(uint64_t, dmr::Values<uint64_t>& values, auto& emit) const {
    uint64_t count = 0;
    for ([[maybe_unused]] const uint64_t value : values) ++count;
    emit(count);
  }
};

struct FewOfMany : dmr::MapReduce<FewOfMany, uint32_t, uint64_t, dmr::Sum<uint64_t>> {
  using Container = dmr::FewKeys<1 << 17>;
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(static_cast<uint32_t>(n % 10 * 13'000), 1);
  }
};

struct alignas(64) Wide {
  uint64_t number;
};
struct WideSum {
  using Value = Wide;
  static constexpr bool kExact = true;
  static void add(Wide& into, const Wide& next) {
    // Added once for each that lies where it must not.
    const bool misplaced = reinterpret_cast<uintptr_t>(&into) % alignof(Wide) != 0;
    into.number += next.number + (misplaced ? 1'000'000 : 0);
  }
};
struct Aligned : dmr::MapReduce<Aligned, uint64_t, Wide, WideSum> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(n % 100, Wide{1});
  }
};

}  // namespace

TEST_CASE("beside a combiner a reduction gets one value for each key") {
  run_root([] {
    for (const int workers : {1, 3}) {
      for (const uint64_t memory : {uint64_t{0}, kLittleMemory}) {
        const auto counts = CountsValues().run(dmr::Input::numbers(200'000, 10'000), with(workers, memory));
        EXPECT(counts.size() == 20'000);
        for (const auto& [key, count] : counts) EXPECT(count == 1);
      }
    }
  });
}

TEST_CASE("an array of values that is larger than the memory is not spilled again and again") {
  run_root([] {
    std::vector<std::pair<uint32_t, uint64_t>> got;
    const auto take = [&](uint32_t key, uint64_t sum) { got.emplace_back(key, sum); };
    const auto statistics = FewOfMany().run_each(dmr::Input::numbers(10'000, 100), with(2, kLittleMemory / 4), take);
    EXPECT(statistics.bytes_spilled == 0);
    EXPECT(got.size() == 10);
    for (uint32_t i = 0; i < 10; ++i) EXPECT(got[i] == std::make_pair(i * 13'000, uint64_t{1'000}));
  });
}

TEST_CASE("values lie where their alignment asks for") {
  run_root([] {
    for (const auto& [key, value] : Aligned().run(dmr::Input::numbers(100'000, 5'000), with(2))) {
      EXPECT(value.number == 1'000);
    }
  });
}
