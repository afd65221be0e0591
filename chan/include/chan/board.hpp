// A board: the implicit channels 1:(n-1) among the members of a group, for collective operations. Every member writes
// its own places only, once per round; everybody reads (single producer, many consumers, write once).
//
//   Line  head               who waits
//   Line  done[n]            rounds that member i has finished (has read everything it wanted)
//   Place place[kDepth][n]   round k of member i: the line place[k % kDepth][i]
//   bytes area[kDepth][n]    room for what does not fit into the line
//
// A place is written again kDepth rounds later, when everybody has finished with it. Writers see to that every half
// depth: a round of the m-th half may be written once every member has finished half m - 2. So members may run up to
// kDepth rounds apart. Each member leaves the logical time at which it finished a half: so the time from which on the
// writer may go on is known too, and does not depend on when it looked.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <spmc/segment.hpp>

namespace chan {

inline constexpr uint32_t kBoardDepth = 8;
inline constexpr uint32_t kBoardHalf = kBoardDepth / 2;
inline constexpr size_t kPlaceBytes = 40;
inline constexpr uint64_t kLeft = uint64_t{1} << 62;  // in BoardDone::rounds: the member has left, whatever the round

struct alignas(64) BoardPlace {
  std::atomic<uint64_t> round;  // 1 + number of the round that is published here. Its member, release
  uint64_t stamp;               // logical time of the member's entry
  uint64_t call;                // which operation the member is in, the same for all, and a number for the others
  std::byte data[kPlaceBytes];
};
static_assert(sizeof(BoardPlace) == 64);

struct alignas(64) BoardHead {
  // Members that wait for a place to become writable: whoever finishes a round then notifies the group. Added to and
  // taken from by the waiting member; read after the light fence (base/wait.hpp).
  std::atomic<uint32_t> waiting;
  uint32_t unused[15];
};

struct alignas(64) BoardDone {
  std::atomic<uint64_t> rounds;  // Its member, release; a stale value is too small and only makes the writer wait
  // When it finished half h: at h % 4. A writer that asks for half m - 2 has not finished half m, so nobody is further
  // than half m + 1.
  uint64_t half_stamp[4];
  uint64_t unused[3];
};
static_assert(sizeof(BoardDone) == 64);

class Board {
 public:
  // Bytes of an area for a group of `members`.
  static size_t area_bytes(uint32_t members) {
    if (members <= 8) return 32768;
    if (members <= 16) return 8192;
    return members <= 128 ? 2048 : 256;
  }
  static size_t total_bytes(uint32_t members) {
    return sizeof(BoardHead) + members * sizeof(BoardDone) +
           size_t{kBoardDepth} * members * (sizeof(BoardPlace) + area_bytes(members));
  }
  static uint32_t frames_needed(uint32_t members) {
    return static_cast<uint32_t>((total_bytes(members) + spmc::kPageSize - 1) >> spmc::kPageShift);
  }

  // Makes a board blank before its group uses it; the areas need no clearing.
  static void blank(spmc::EPageIndex first, uint32_t members) {
    std::memset(static_cast<void*>(spmc::segment::frame(first)), 0,
                sizeof(BoardHead) + members * sizeof(BoardDone) + size_t{kBoardDepth} * members * sizeof(BoardPlace));
  }
  // Has every member left?
  static bool abandoned(spmc::EPageIndex first, uint32_t members) {
    const Board board(first, 0, members);
    for (uint32_t i = 0; i < members; ++i) {
      if (board.done(i).rounds.load(std::memory_order_acquire) != kLeft) return false;
    }
    return true;
  }

  Board() = default;
  // `first`: first of frames_needed(members) consecutive frames, blank when the group is made.
  Board(spmc::EPageIndex first, uint32_t member, uint32_t members)
      : base_(spmc::segment::frame(first)), member_(member), members_(members), area_(area_bytes(members)) {}

  uint32_t member() const { return member_; }
  uint32_t members() const { return members_; }
  size_t area() const { return area_; }
  uint64_t round() const { return round_; }  // number of the round that comes next

  BoardHead& head() const { return *reinterpret_cast<BoardHead*>(base_); }
  BoardPlace& place(uint64_t round, uint32_t member) const {
    auto* places = reinterpret_cast<BoardPlace*>(base_ + places_offset());
    return places[(round % kBoardDepth) * members_ + member];
  }
  std::byte* area_of(uint64_t round, uint32_t member) const {
    std::byte* areas = base_ + places_offset() + size_t{kBoardDepth} * members_ * sizeof(BoardPlace);
    return areas + ((round % kBoardDepth) * members_ + member) * area_;
  }
  BoardDone& done(uint32_t member) const { return reinterpret_cast<BoardDone*>(base_ + sizeof(BoardHead))[member]; }

  // How many rounds every member must have finished before this member may write into its place of the coming round.
  uint64_t needed() const {
    const uint64_t half = round_ / kBoardHalf;
    return half < 2 ? 0 : (half - 1) * kBoardHalf;
  }
  // May this member write? `time`: from when on, if it had to look.
  bool writable(uint64_t* time) {
    const uint64_t rounds = needed();
    if (rounds <= settled_) [[likely]]
      return true;
    while (slowest_member_ < members_) {
      const BoardDone& line = done(slowest_member_);
      if (line.rounds.load(std::memory_order_acquire) < rounds) return false;
      half_time_ = std::max(half_time_, line.half_stamp[(rounds / kBoardHalf - 1) % 4]);
      ++slowest_member_;
    }
    *time = half_time_;
    slowest_member_ = 0;
    half_time_ = 0;
    settled_ = rounds;
    return true;
  }
  // The member that has not finished as many, after writable() was false.
  uint32_t slowest_member() const { return slowest_member_; }
  // Publishes this member's place of the coming round; its data have been written.
  void publish(uint64_t stamp, uint64_t call) {
    BoardPlace& mine = place(round_, member_);
    mine.stamp = stamp;
    mine.call = call;
    mine.round.store(round_ + 1, std::memory_order_release);
  }
  bool published(uint32_t member) const {
    return place(round_, member).round.load(std::memory_order_acquire) == round_ + 1;
  }
  bool ends_half() const { return (round_ + 1) % kBoardHalf == 0; }
  // This member has read what it wanted of the round; the next one begins. `stamp` counts where a half ends.
  void finish(uint64_t stamp) {
    ++round_;
    BoardDone& mine = done(member_);
    if (round_ % kBoardHalf == 0) mine.half_stamp[(round_ / kBoardHalf - 1) % 4] = stamp;
    mine.rounds.store(round_, std::memory_order_release);
  }
  // This member will not look at the board again.
  void leave() { done(member_).rounds.store(kLeft, std::memory_order_release); }
  // Everybody was seen in the coming round, hence has finished all before it, before this member's clock.
  void all_entered() {
    if (slowest_member_ == 0) settled_ = std::max(settled_, round_);
  }

 private:
  size_t places_offset() const { return sizeof(BoardHead) + members_ * sizeof(BoardDone); }

  std::byte* base_ = nullptr;
  uint32_t member_ = 0;
  uint32_t members_ = 0;
  size_t area_ = 0;
  uint64_t round_ = 0;
  uint64_t settled_ = 0;         // every member has finished at least this many rounds
  uint32_t slowest_member_ = 0;  // members below it are known to have finished enough
  uint64_t half_time_ = 0;       // the latest time at which one of them did
};

}  // namespace chan
