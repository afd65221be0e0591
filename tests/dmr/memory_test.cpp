// How much memory workers hold.
#include <sys/resource.h>

#include <algorithm>

#include <base/cores.hpp>

#include "root.hpp"

using namespace dmr_test;

namespace {

// Each key goes to another part of the input, so that one reducer's pairs fill a mapper's memory after the other's.
// The last key is the most memory that a mapper has held, in KiB.
struct InTurns : dmr::MapReduce<InTurns, uint64_t, uint64_t> {
  static constexpr uint64_t kNumbers = 8'000'000, kPeak = UINT64_MAX;
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(n, 1);
    rusage used;
    if (getrusage(RUSAGE_SELF, &used) == 0 && piece.end == kNumbers) emit(kPeak, static_cast<uint64_t>(used.ru_maxrss));
  }
  uint32_t partition(uint64_t key, uint32_t parts) const {
    return key == kPeak ? 0 : static_cast<uint32_t>(key * parts / kNumbers);
  }
};

}  // namespace

TEST_CASE("memory that pairs of one reducer have left is there for those of others") {
  run_root([] {
    // Half of the memory is for the mappers that there are at first.
    constexpr uint64_t kWorkers = 4, kEach = 8 << 20;
    const uint64_t mappers = std::min<uint64_t>(kWorkers, spmc::base::usable_cores());
    const auto all = InTurns().run(dmr::Input::numbers(InTurns::kNumbers, 10'000), with(kWorkers, 2 * mappers * kEach));
    EXPECT(all.size() == InTurns::kNumbers + 1);
    // A mapper has 8 MiB and more for each reducer.
    EXPECT(all.back().first == InTurns::kPeak);
    EXPECT(all.back().second * 1024 < 3 * kEach);
  });
}
