// Over how much memory a window's slabs and a board's areas circulate. All sides are in one space.
#include <chan/board.hpp>
#include <chan/window.hpp>
#include <spmc/frames.hpp>
#include <spmc/self.hpp>

#include <catch2/catch.hpp>

#include <set>
#include <vector>

#include "job.hpp"

using namespace chan;

namespace {

constexpr uint32_t kPages = 2, kStep = 32, kSoon = 128, kLimit = 160;

SlabWindow make_window() { return {spmc::frame_pool(), kPages, kStep, kSoon, kLimit}; }

// Slabs that are taken and freed at once, `messages` of them: how many different ones.
size_t different_slabs(SlabWindow& window, uint32_t messages) {
  std::set<uint32_t> slabs;
  for (uint32_t i = 0; i < messages; ++i) {
    const spmc::EPageIndex slab = window.try_take();
    EXPECT(!slab.none());
    slabs.insert(slab.value);
    SlabWindow::release(slab);
  }
  return slabs.size();
}

std::vector<spmc::EPageIndex> take_all(SlabWindow& window) {
  std::vector<spmc::EPageIndex> taken;
  for (;;) {
    const spmc::EPageIndex slab = window.try_take();
    if (slab.none()) return taken;
    taken.push_back(slab);
  }
}

void run(const std::function<void()>& body) { chan_job::run_job(chan_job::kDefaultMode, body); }

}  // namespace

TEST_CASE("a window grows with use, up to what is fast") {
  run([] {
    SlabWindow window = make_window();
    EXPECT(different_slabs(window, 3 * kStep) == kStep);
    (void)different_slabs(window, 100 * kSoon);
    EXPECT(different_slabs(window, kSoon) == kSoon);
    EXPECT(different_slabs(window, 10 * kSoon) == kSoon);
  });
}

TEST_CASE("a window whose slabs are all in use grows up to its limit, and finds what is freed") {
  run([] {
    SlabWindow window = make_window();
    const std::vector<spmc::EPageIndex> taken = take_all(window);
    EXPECT(taken.size() == kLimit);
    for (const size_t which : {size_t{0}, size_t{kLimit / 2}, size_t{kLimit - 1}}) {
      SlabWindow::release(taken[which]);
      spmc::EPageIndex found;
      for (uint32_t looks = 0; looks < kLimit && found.none(); ++looks) found = window.try_take();
      EXPECT(found.value == taken[which].value);
    }
  });
}

TEST_CASE("a window takes what memory there is") {
  run([] {
    std::vector<spmc::EPageIndex> runs;
    const auto take_run = [&](uint32_t frames) {
      auto run = spmc::frame_pool().try_alloc_run(frames);
      if (run) runs.push_back(run.value());
      return run.ok();
    };
    while (take_run(64 * spmc::kFramesPerChunk)) continue;
    while (take_run(spmc::kFramesPerChunk)) continue;
    spmc::FramePool::free(runs.back(), spmc::kFramesPerChunk);
    spmc::frame_pool().trim(0);
    SlabWindow window = make_window();
    EXPECT(take_all(window).size() == kStep);
  });
}

TEST_CASE("areas of the rounds that may be under way at once are different ones") {
  run([] {
    for (const uint32_t members : {2u, 4u, 8u, 16u, 100u, 300u}) {
      const BoardAreas areas = Board::areas_for(members, 4 << 20);
      EXPECT(areas.count >= kAreaDepth && areas.count <= kMostAreas);
      EXPECT(areas.count == kAreaDepth || areas.count * areas.bytes * members <= 4 << 20);
      EXPECT(Board::areas_for(members, 0).count == kAreaDepth);
      const uint32_t frames = Board::frames_needed(members, areas);
      auto run = spmc::frame_pool().try_alloc_run(frames);
      EXPECT(run.ok());
      const std::byte* const begin = spmc::segment::frame(run.value());
      const Board board(run.value(), 0, members, areas);
      std::set<const std::byte*> all;
      for (uint64_t round = 0; round < 3 * kMostAreas; ++round) {
        std::set<const std::byte*> at_once;
        for (uint64_t other = round; other < round + kAreaDepth; ++other) {
          const std::byte* const data = board.data_of(other, members - 1, areas.bytes);
          EXPECT(data >= begin && data + areas.bytes <= begin + (size_t{frames} << spmc::kPageShift));
          at_once.insert(data);
        }
        EXPECT(at_once.size() == kAreaDepth);
        all.insert(board.data_of(round, members - 1, areas.bytes));
      }
      EXPECT(all.size() == areas.count);
      spmc::FramePool::free(run.value(), frames);
    }
  });
}
