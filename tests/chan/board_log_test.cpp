// Logs of a board's members that are far apart: what any of them may ask for is there. All members are in one space.
#include <chan/board.hpp>
#include <spmc/frames.hpp>
#include <spmc/self.hpp>

#include <catch2/catch.hpp>

#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "job.hpp"

using namespace chan;

namespace {

spmc::EPageIndex take_frame() {
  auto frame = spmc::frame_pool().try_alloc();
  EXPECT(frame.ok());
  return frame.value();
}

// What the member notes of its operation: every member another thing.
uint64_t place_of(uint32_t member, uint64_t number) { return number * 16 + member; }

class Members {
 public:
  explicit Members(uint32_t n) : first_(take_run(n)), n_(n) { enter(); }
  ~Members() {
    leave();
    Board::blank_again(first_, n_);
    spmc::FramePool::free(first_, Board::frames_needed(n_, {}));
  }
  // Another group takes over.
  void again() {
    leave();
    EXPECT(Board::abandoned(first_, n_));
    Board::blank_again(first_, n_);
    enter();
  }
  Board& operator[](uint32_t member) { return boards_[member]; }
  void begin(uint32_t member) {
    Board& board = boards_[member];
    const uint64_t number = board.begun();
    board.begin({number, 7});
    board.note({{number, 7}, number + 1, place_of(member, number)});
  }
  // Whether the member finds what another one has begun.
  bool finds(uint32_t asking, uint32_t member, uint64_t number) {
    const auto note = boards_[asking].noted(member, number);
    if (!note) return false;
    EXPECT(note->what[0] == number && note->stamp == number + 1 && note->place == place_of(member, number));
    return true;
  }
  void expect_all_asked() {
    for (uint32_t asking = 0; asking < n_; ++asking) {
      for (uint32_t member = 0; member < n_; ++member) {
        for (uint64_t i = boards_[asking].first_asked(); i < boards_[member].begun(); ++i)
          EXPECT(finds(asking, member, i));
        EXPECT(!finds(asking, member, boards_[member].begun()));
      }
    }
  }

 private:
  static spmc::EPageIndex take_run(uint32_t n) {
    auto run = spmc::frame_pool().try_alloc_run(Board::frames_needed(n, {}));
    EXPECT(run.ok());
    Board::blank(run.value(), n);
    return run.value();
  }
  void enter() {
    for (uint32_t i = 0; i < n_; ++i) boards_.emplace_back(first_, i, n_, BoardAreas{}, take_frame);
  }
  void leave() {
    for (Board& board : boards_) board.leave();
    boards_.clear();
  }

  spmc::EPageIndex first_;
  uint32_t n_;
  std::deque<Board> boards_;
};

void run(const std::function<void()>& body) { chan_job::run_job(chan_job::kDefaultMode, body); }

}  // namespace

TEST_CASE("members at random distances, with operations under way") {
  run([] {
    std::mt19937 random(1);
    for (int game = 0; game < 20; ++game) {
      const uint32_t n = 2 + random() % 3;
      Members members(n);
      struct Begun {
        uint32_t member;
        uint64_t number;
        std::unique_ptr<UnderWay> under_way;
      };
      std::vector<Begun> begun;
      for (int step = 0; step < 60; ++step) {
        const uint32_t member = random() % n;
        for (uint32_t i = random() % 200; i > 0; --i) members.begin(member);
        if (members[member].begun() > 0 && random() % 3 == 0) {
          const uint64_t number = members[member].begun() - 1;
          begun.push_back({member, number, std::make_unique<UnderWay>(members[member].under_way(), number)});
        }
        if (!begun.empty() && random() % 3 == 0)
          begun.erase(begun.begin() + static_cast<ptrdiff_t>(random() % begun.size()));
        for (const Begun& b : begun) EXPECT(members[b.member].first_asked() <= b.number);
        members.expect_all_asked();
      }
    }
  });
}

// What is looked back over, what is being written, and what begins before the other one is seen to be as far.
constexpr uint64_t kFewFrames = (kLookBack + kChunkNotes - 1) / kChunkNotes + 2;

TEST_CASE("members that keep pace need few frames") {
  run([] {
    Members members(2);
    const size_t before = spmc::frames_in_use();
    for (uint64_t i = 0; i < 100 * kChunkNotes; ++i) {
      for (const uint32_t member : {0, 1}) members.begin(member);
    }
    EXPECT(spmc::frames_in_use() <= before + 2 * kFewFrames);
    members.expect_all_asked();
    // So do those that were apart, afterwards.
    for (uint64_t i = 0; i < 50 * kChunkNotes; ++i) members.begin(0);
    EXPECT(spmc::frames_in_use() >= before + 50);
    for (uint64_t i = 0; i < 50 * kChunkNotes; ++i) members.begin(1);
    for (uint64_t i = 0; i < 2 * kChunkNotes; ++i) {
      for (const uint32_t member : {0, 1}) members.begin(member);
    }
    EXPECT(spmc::frames_in_use() <= before + 2 * kFewFrames);
  });
}

TEST_CASE("who is too far ahead loses the oldest") {
  run([] {
    Members members(2);
    const uint64_t many = 2 * kLogChunks * kChunkNotes;
    for (uint64_t i = 0; i < many; ++i) members.begin(1);
    EXPECT(!members.finds(0, 1, 0));
    EXPECT(!members.finds(0, 1, many - kLogChunks * kChunkNotes - 1));
    EXPECT(members.finds(0, 1, many - kLogChunks * kChunkNotes));
    EXPECT(members.finds(0, 1, many - 1));
  });
}

TEST_CASE("a member that hides its operations keeps nobody's") {
  run([] {
    Members members(2);
    const size_t before = spmc::frames_in_use();
    members.begin(1);
    members[1].hide_operations();
    EXPECT(!members.finds(0, 1, 0));
    for (uint64_t i = 0; i < 20 * kChunkNotes; ++i) members.begin(0);
    EXPECT(spmc::frames_in_use() <= before + kFewFrames + 1);
  });
}

TEST_CASE("a board that is used again knows nothing of those before") {
  run([] {
    Members members(2);
    const size_t before = spmc::frames_in_use();
    for (uint64_t i = 0; i < 5 * kChunkNotes; ++i) members.begin(1);
    members.again();
    EXPECT(spmc::frames_in_use() == before);
    EXPECT(!members.finds(0, 1, 0));
    members.begin(1);
    EXPECT(members.finds(0, 1, 0));
    EXPECT(!members.finds(0, 1, 1));
  });
}
