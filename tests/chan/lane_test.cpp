// A lane's records come in order and whole, and those of several cells go round in its first cells if the consumer
// keeps up. Producer and consumer are in one space.
#include <chan/lane.hpp>
#include <spmc/frames.hpp>
#include <spmc/self.hpp>

#include <catch2/catch.hpp>

#include <deque>
#include <random>

#include "job.hpp"

using namespace chan;

namespace {

constexpr uint32_t kCells = 64;  // a page
constexpr uint32_t kRound = 16;

class Lane {
 public:
  explicit Lane(LineCare care) {
    auto frame = spmc::frame_pool().try_alloc();
    EXPECT(frame.ok());
    ring_ = frame.value();
    std::memset(spmc::segment::frame(ring_), 0, kCells * kCellBytes);
    out_.start(line_, sent_, ring_, kCells, care);
    EXPECT(in_.try_open(line_));
  }
  ~Lane() { spmc::FramePool::free(ring_, 1); }

  // Where in the ring its header is; -1: there is no room.
  int put(size_t bytes) {
    const uint32_t cells = LaneOut::cells_for(bytes);
    Cell* cell = out_.try_reserve(cells);
    if (cell == nullptr) return -1;
    cell->bytes = bytes;
    std::memset(const_cast<std::byte*>(LaneIn::payload(cell, bytes)), static_cast<int>(put_++ % 251), bytes);
    out_.publish(cell, cells, kFirstUserKind);
    under_way_.push_back(bytes);
    EXPECT(LaneIn::unread(line_, sent_));
    return static_cast<int>(reinterpret_cast<std::byte*>(cell) - spmc::segment::frame(ring_)) / int{kCellBytes};
  }
  // False if nothing is under way.
  bool take() {
    const Cell* cell = in_.peek();
    EXPECT((cell == nullptr) == under_way_.empty());
    if (cell == nullptr) return false;
    const size_t bytes = cell->bytes;
    EXPECT(bytes == under_way_.front());
    const std::byte* payload = LaneIn::payload(cell, bytes);
    for (size_t i = 0; i < bytes; ++i) EXPECT(payload[i] == std::byte(taken_ % 251));
    ++taken_;
    under_way_.pop_front();
    in_.pass(LaneOut::cells_for(bytes));
    EXPECT(out_.all_consumed() == under_way_.empty());
    return true;
  }
  // Of a cell; what it held before, if it has not been cleared.
  uint32_t marker(int at) const {
    const auto* cells = reinterpret_cast<const Cell*>(spmc::segment::frame(ring_));
    return cells[static_cast<uint32_t>(at) % kCells].marker.load(std::memory_order_relaxed);
  }

 private:
  LaneLine line_{};
  std::atomic<uint64_t> sent_{0};
  spmc::EPageIndex ring_;
  LaneOut out_;
  LaneIn in_;
  std::deque<size_t> under_way_;
  uint64_t put_ = 0, taken_ = 0;
};

void run(const std::function<void()>& body) { chan_job::run_job(chan_job::kDefaultMode, body); }

}  // namespace

TEST_CASE("records of all lengths, whatever the consumer's distance") {
  run([] {
    std::mt19937 random(1);
    for (const LineCare care : {LineCare{}, {2, kCells, kCells, 0}, {kRound, 3, 5, 2}, {kCells, 0, kCells, 0}}) {
      Lane lane(care);
      for (int step = 0; step < 50'000; ++step) {
        // Now the producer is the quicker one, now the consumer.
        if (random() % 100 < (step / 200 % 2 == 0 ? 60U : 40U)) lane.put(random() % (LaneOut::max_payload(kCells) + 1));
        else lane.take();
      }
      while (lane.take()) {
      }
    }
  });
}

TEST_CASE("records of several cells go round in the first cells if the consumer keeps up") {
  run([] {
    constexpr size_t kBytes = 4 * kCellBytes;
    Lane lane({.round = kRound});
    for (int i = 0; i < 1000; ++i) {
      const int at = lane.put(kBytes);
      EXPECT(at >= 0 && at < static_cast<int>(kRound));
      EXPECT(lane.take());
    }
    // Those of one cell go on.
    int last = 0;
    for (int i = 0; i < 2 * static_cast<int>(kCells); ++i) {
      last = std::max(last, lane.put(8));
      EXPECT(lane.take());
    }
    EXPECT(last == kCells - 1);
  });
}

TEST_CASE("a producer that is ahead has the whole ring") {
  run([] {
    Lane lane({.round = kRound});
    int last = -1;
    for (int at = 0; (at = lane.put(4 * kCellBytes)) >= 0;) {
      EXPECT(at > last);
      last = at;
    }
    EXPECT(last + 2 * LaneOut::cells_for(4 * kCellBytes) >= kCells);
    while (lane.take()) {
    }
  });
}

TEST_CASE("the marker behind the next record is cleared before that is published, if it is as long") {
  run([] {
    constexpr size_t kBytes = 3 * kCellBytes;
    constexpr int kRecord = 4, kPuts = 10 * kCells / kRecord;  // cells
    Lane lane({});
    int cleared = 0;
    for (int i = 0; i < kPuts; ++i) {
      const int at = lane.put(kBytes);
      EXPECT(at == i * kRecord % static_cast<int>(kCells));
      EXPECT(lane.marker(at + kRecord) == 0);
      const bool used_before = i >= static_cast<int>(kCells) / kRecord;
      if (used_before) EXPECT(lane.marker(at + 3 * kRecord) == kFirstUserKind);
      if (used_before && lane.marker(at + 2 * kRecord) == 0) ++cleared;
      EXPECT(lane.take());
    }
    EXPECT(cleared >= kPuts * 3 / 4);  // not while it is unknown how far the consumer is
  });
}
