// A board: the implicit channels 1:(n-1) among the members of a group, for collective operations. Every member writes
// its own places only, once per round; everybody reads (single producer, many consumers, write once).
//
//   Line  head                   who waits
//   Done  done[n]                rounds that member i has finished (has read everything it wanted), and when
//   Place place[depth][n]        round k of member i: the line place[k % depth][i]
//   Log   log[n]                 the operations that member i has begun (board_log.hpp)
//   bytes area[areas][n]         room for what does not fit into the line: round k in k % areas, up to kAreaDepth
//                                rounds at once
//   bytes strip[depth][n]        room for what does not either, but is short
//
// A place, strip or area is written again after as many rounds as there are, when everybody has finished with it.
// Writers see to that every half depth: a round of the half number m may be written once every member has finished half
// m - 2. So members may run up to a depth apart, further in rounds that need no area. Each member leaves the logical
// time at which it finished a step of rounds, of which a half has several: so the time from which on the writer may go
// on is known too, and does not depend on when it looked.
//
// Operations (one or several rounds each, or none) must be the same at every member. Each place names the operation
// that it belongs to, as a hash of all that its member has begun, which whoever reads it compares with its own. With
// every step goes such a hash, too, which the writers compare: so a difference that nobody read is found two halves
// later. The logs are for telling what differed.
//
// A member whose operations were not those of others may quit. What it has published until then stays as it is, so who
// waits for it finds the same, whenever it looks.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <base/sys.hpp>
#include <spmc/segment.hpp>

#include "board_log.hpp"

namespace chan {

inline constexpr uint32_t kLeastPlaceDepth = 32;
inline constexpr uint32_t kMostPlaceDepth = 128;
inline constexpr uint32_t kAreaDepth = 8;  // rounds that may be under way in areas, however many areas there are
inline constexpr uint32_t kBoardStep = kAreaDepth / 2;
inline constexpr uint32_t kMostAreas = 64;
static_assert((kLeastPlaceDepth / 2) % kBoardStep == 0);
static_assert(2 * kMostPlaceDepth - 1 <= kLookBack);
// The depth of places and strips among so many: what ranks that share cores can do in a turn (8 ranks on 2 cores,
// reduce of 8 bytes: 0.87 us with 32, 0.50 with 128), as long as all places stay in the cache.
constexpr uint32_t place_depth(uint32_t members) {
  return std::clamp(std::bit_floor(2048 / std::max(members, 1u)), kLeastPlaceDepth, kMostPlaceDepth);
}
inline constexpr size_t kPlaceBytes = 40;
// So many rounds before a place is written again its line is asked for: readers have had it since, and a member that
// publishes one round after the other would wait for each (2 ranks, bcast of 8 B 55 ns, with it 51; scatter 76 and 69).
inline constexpr uint64_t kPrefetched = 16;
static_assert(kPrefetched <= kLeastPlaceDepth / 2);
inline constexpr uint64_t kUnchecked = 0;
inline constexpr uint64_t kLeft = uint64_t{1} << 62;  // in BoardDone::rounds: the member has left, whatever the round

struct alignas(64) BoardPlace {
  std::byte data[kPlaceBytes];  // first, so that elements in it are aligned for whoever computes with them
  std::atomic<uint64_t> round;  // 1 + number of the round that is published here. Its member, release
  uint64_t stamp;               // logical time of the member's entry
  uint64_t operation;           // that it belongs to: a hash of all up to it; kUnchecked: not for comparison
};
static_assert(sizeof(BoardPlace) == 64 && offsetof(BoardPlace, data) == 0);

struct alignas(64) BoardHead {
  // Members that wait for a place to become writable: whoever finishes a round then notifies the group. Added to and
  // taken from by the waiting member; read after the light fence (base/wait.hpp).
  std::atomic<uint32_t> waiting;
  uint32_t unused[15];
};

struct BoardStepEnd {
  uint64_t stamp;    // logical time
  uint64_t history;  // hash of all operations begun by then, as above; kUnchecked: not for comparison
};
struct alignas(64) BoardDone {
  std::atomic<uint64_t> rounds;  // Its member, release; a stale value is too small and only makes the writer wait
  uint64_t quit_at;              // logical time at which the member has quit; released by all words that tell so
  uint64_t unused[6];
  // Behind it stand the ends of its steps, as many as two depths have: step s at s modulo that. Plain words, for
  // `rounds` is released after they are written and acquired before they are read. A writer that asks for half m - 2
  // has not finished half m, so nobody is further than half m + 1, the end of which is three halves later.
};
static_assert(sizeof(BoardDone) == 64);
static_assert(2 * kLeastPlaceDepth / kBoardStep * sizeof(BoardStepEnd) % sizeof(BoardDone) == 0);

// What must be the same at every member.
struct BoardWhat {
  uint64_t first;
  uint64_t second;
};

// The areas that each member of a board has.
struct BoardAreas {
  size_t bytes = 0;             // of each; 0: it is there for its logs alone, because its members exchange messages
  uint32_t count = kAreaDepth;  // a power of two from kAreaDepth to kMostAreas
  bool operator==(const BoardAreas&) const = default;
};

class Board {
 public:
  static constexpr size_t kLargestArea = 32768;
  // Those of a group of `members`: kAreaDepth for each, which are up to 4 MiB for all, or more if they find room in so
  // many bytes. More of them make nobody wait any later; they are for machines that move a line slowly while another
  // core has it dirty in its cache. They take memory when used.
  static BoardAreas areas_for(uint32_t members, size_t room) {
    const size_t bytes = members <= 128 ? std::min(kLargestArea, size_t{512 * 1024} / std::bit_ceil(members)) : 256;
    const size_t fit = std::bit_floor(room / (bytes * std::max(members, 1u)));
    return {bytes, static_cast<uint32_t>(std::clamp<size_t>(fit, kAreaDepth, kMostAreas))};
  }
  // Of a strip of such a board: a part of an area, none where that is short itself.
  static size_t strip_bytes(size_t area) { return area >= 2048 ? 512 : 0; }
  static size_t total_bytes(uint32_t members, BoardAreas areas) {
    return blank_bytes(members) +
           members * (place_depth(members) * strip_bytes(areas.bytes) + areas.count * areas.bytes);
  }
  static uint32_t frames_needed(uint32_t members, BoardAreas areas) {
    return static_cast<uint32_t>((total_bytes(members, areas) + spmc::kPageSize - 1) >> spmc::kPageShift);
  }

  // Makes a board blank before its group uses it; areas and strips need no clearing.
  static void blank(spmc::EPageIndex first, uint32_t members) {
    std::memset(static_cast<void*>(spmc::segment::frame(first)), 0, blank_bytes(members));
  }
  // The same of one that a group has left.
  static void blank_again(spmc::EPageIndex first, uint32_t members) {
    const Board board(first, 0, members, {});
    for (uint32_t i = 0; i < members; ++i) free_chunks(board.log(i));
    blank(first, members);
  }
  // Has every member left?
  static bool abandoned(spmc::EPageIndex first, uint32_t members) {
    const Board board(first, 0, members, {});
    for (uint32_t i = 0; i < members; ++i) {
      if ((board.done(i).rounds.load(std::memory_order_acquire) & kLeft) == 0) return false;
    }
    return true;
  }

  Board() = default;
  // `first`: first of frames_needed() consecutive frames, blank when the group is made. `take_frame`: for the log of
  // this member; null for who begins nothing.
  Board(spmc::EPageIndex first, uint32_t member, uint32_t members, BoardAreas areas, TakeFrame* take_frame = nullptr)
      : base_(spmc::segment::frame(first)),
        member_(member),
        members_(members),
        depth_(place_depth(members)),
        areas_(areas),
        writer_(take_frame) {}

  uint32_t member() const { return member_; }
  uint32_t members() const { return members_; }
  BoardAreas areas() const { return areas_; }
  uint64_t round() const { return round_; }  // number of the round that comes next, for reading
  // How many rounds this member may have published before it reads the first of them: for more it would wait for
  // itself.
  uint32_t most_ahead() const { return kAreaDepth - static_cast<uint32_t>(round_ % (kAreaDepth / 2)); }

  BoardHead& head() const { return *reinterpret_cast<BoardHead*>(base_); }
  BoardPlace& place(uint64_t round, uint32_t member) const {
    auto* places = reinterpret_cast<BoardPlace*>(base_ + places_offset());
    return places[(round & (depth_ - 1)) * members_ + member];
  }
  // Where this member has its data of the round that it publishes next, for which it prepares room for so many bytes.
  std::byte* own_data(size_t bytes) const { return data_of(written_, member_, bytes); }
  // The same of a member and a round.
  std::byte* data_of(uint64_t round, uint32_t member, size_t bytes) const {
    if (bytes <= kPlaceBytes) return place(round, member).data;
    std::byte* const areas = base_ + logs_offset() + members_ * sizeof(BoardLog);
    const size_t strip = strip_bytes(areas_.bytes);
    if (bytes > strip) return areas + (area_of(round) * members_ + member) * areas_.bytes;
    return areas + areas_.count * members_ * areas_.bytes + ((round & (depth_ - 1)) * members_ + member) * strip;
  }
  BoardLog& log(uint32_t member) const { return reinterpret_cast<BoardLog*>(base_ + logs_offset())[member]; }
  BoardDone& done(uint32_t member) const {
    return *reinterpret_cast<BoardDone*>(base_ + sizeof(BoardHead) + member * done_bytes(depth_));
  }

  // How many rounds every member must have finished before this member may write `bytes` in the round that it publishes
  // next.
  uint64_t needed(size_t bytes) const {
    const uint64_t rounds = (bytes <= std::max(kPlaceBytes, strip_bytes(areas_.bytes)) ? depth_ : kAreaDepth) / 2;
    const uint64_t half = written_ / rounds;
    return half < 2 ? 0 : (half - 1) * rounds;
  }
  // May this member write? `time`: from when on, if it had to look.
  bool writable(size_t bytes, uint64_t* time) {
    const uint64_t rounds = needed(bytes);
    if (rounds <= settled_) [[likely]]
      return true;
    while (slowest_member_ < members_) {
      BoardDone& line = done(slowest_member_);
      const uint64_t finished = line.rounds.load(std::memory_order_acquire);
      if (finished < rounds) return false;
      if ((finished & kQuit) != 0 && (finished & (kQuit - 1)) < rounds) [[unlikely]] {
        free_at_ = std::max(free_at_, line.quit_at);
        differed_ = true;
      } else {
        const uint64_t step = rounds / kBoardStep - 1;
        free_at_ = std::max(free_at_, end_of(line, step).stamp);
        compare(line, step);
      }
      ++slowest_member_;
    }
    *time = free_at_;
    slowest_member_ = 0;
    free_at_ = 0;
    settled_ = rounds;
    return true;
  }
  // The member that has not finished as many, after writable() was false.
  uint32_t slowest_member() const { return slowest_member_; }
  // Another member's operations up to the end of a step were not this member's, or it has quit.
  bool differed() const { return differed_; }
  // The hash of operations, those of `history` and one more.
  static uint64_t after(uint64_t history, BoardWhat what) {
    const uint64_t mixed = (history ^ what.first) * 0x9e3779b97f4a7c15u + what.second;
    return mixed ^ mixed >> 32;
  }
  // This member begins an operation. The note in the log may follow later, before the member blocks or begins the next
  // one.
  void begin(BoardWhat what) {
    before_ = history_;
    if (history_ != kUnchecked) history_ = after(before_, what);
  }
  void note(BoardNote note) {
    if (history_ == kUnchecked) return;
    note.history = history_;
    if (writer_.needs_chunk()) [[unlikely]]
      writer_.start_chunk(log(member_), begun_, first_asked_by_any());
    writer_.write(log(member_), begun_, note);
    ++begun_;
  }
  // Operation `number` of a member, if it has begun it and its log still has it: that is so of all that this member may
  // ask for, unless the other one has filled its log since.
  std::optional<BoardNote> noted(uint32_t member, uint64_t number) const { return note_in(log(member), number); }
  // The operations of this member that go on after the call that began them (UnderWay).
  std::shared_ptr<std::vector<uint64_t>> under_way() { return writer_.under_way(); }
  // The first operation that this member may ask others for: a difference may be found some operations later.
  uint64_t first_asked() const { return before_all_that_differs(writer_.first_under_way(begun_)); }
  uint64_t begun() const { return begun_; }
  // Hash of all operations that this member has begun.
  uint64_t history() const { return history_; }
  // Hash of all before the latest one.
  uint64_t history_before() const { return before_; }
  // As if the latest operation, which has been noted, had been another one, that of another member; the steps up to now
  // are not compared any more.
  void take_operation(BoardWhat what) {
    history_ = after(before_, what);
    writer_.amend(history_);
    compare_from_ = round_ / kBoardStep + 1;
  }
  // This member's operations are not compared any more, here or by others.
  void hide_operations() {
    if (history_ == kUnchecked) return;
    history_ = kUnchecked;
    hide(log(member_));
  }
  // Publishes this member's place of the coming round, or of the one after those that it has published already; its
  // data have been written.
  void publish(uint64_t stamp, uint64_t operation) {
    BoardPlace& mine = place(written_, member_);
    mine.stamp = stamp;
    mine.operation = operation;
    ++written_;
    mine.round.store(written_, std::memory_order_release);
    log(member_).published.store(written_, std::memory_order_release);
    spmc::base::prefetch_to_write(&place(written_ + kPrefetched, member_));
  }
  // Asks for the lines in which this member writes so many bytes of the round that it publishes next, if it may, so
  // that they are here then; not for all of many.
  void fetch_next(size_t bytes) const {
    constexpr size_t kMost = 2048;
    if (bytes <= kPlaceBytes || needed(bytes) > settled_) return;
    spmc::base::prefetch_to_write(own_data(bytes), std::min(bytes, kMost));
  }
  bool published(uint32_t member) const {
    return place(round_, member).round.load(std::memory_order_acquire) == round_ + 1;
  }
  bool ends_step() const { return (round_ + 1) % kBoardStep == 0; }
  // This member has read what it wanted of the round; the next one begins. `stamp` counts where a step ends.
  void finish(uint64_t stamp) {
    ++round_;
    written_ = std::max(written_, round_);  // it may have published nothing
    BoardDone& mine = done(member_);
    if (round_ % kBoardStep == 0) end_of(mine, round_ / kBoardStep - 1) = {stamp, history_};
    mine.rounds.store(round_, std::memory_order_release);
  }
  // This member will not look at the board again.
  void leave() {
    asks_for_nothing(log(member_));
    set(done(member_).rounds, kLeft);
  }
  // This member begins no operation any more, and publishes nothing.
  void quit(uint64_t stamp) {
    BoardDone& mine = done(member_);
    mine.quit_at = stamp;
    set(log(member_).begun, kQuit);
    set(log(member_).published, kQuit);
    set(mine.rounds, kQuit);
  }
  bool has_quit(uint32_t member) const { return (done(member).rounds.load(std::memory_order_acquire) & kQuit) != 0; }
  // Has the member begun operation `number`, or quit?
  bool begins(uint32_t member, uint64_t number) const {
    return log(member).begun.load(std::memory_order_acquire) > number;
  }
  // Has it quit before?
  bool never_begins(uint32_t member, uint64_t number) const {
    const uint64_t begun = log(member).begun.load(std::memory_order_acquire);
    return (begun & kQuit) != 0 && (begun & (kQuit - 1)) <= number;
  }
  // Everybody was seen in the coming round, for which none has published ahead: hence has finished all before it,
  // before this member's clock.
  void all_entered() {
    if (slowest_member_ == 0) settled_ = std::max(settled_, round_);
  }

 private:
  static constexpr uint64_t steps_kept(uint32_t depth) { return 2 * depth / kBoardStep; }
  static constexpr size_t done_bytes(uint32_t depth) {
    return sizeof(BoardDone) + steps_kept(depth) * sizeof(BoardStepEnd);
  }
  BoardStepEnd& end_of(BoardDone& done, uint64_t step) const {
    return reinterpret_cast<BoardStepEnd*>(&done + 1)[step & (steps_kept(depth_) - 1)];
  }
  // Up to the areas.
  static size_t blank_bytes(uint32_t members) {
    return sizeof(BoardHead) +
           members * (done_bytes(place_depth(members)) + place_depth(members) * sizeof(BoardPlace) + sizeof(BoardLog));
  }
  static void set(std::atomic<uint64_t>& own, uint64_t bit) {
    own.store(own.load(std::memory_order_relaxed) | bit, std::memory_order_release);
  }
  // Short programs use few of them. Where that changes, at a multiple of both numbers, a round has the area of the one
  // that is kAreaDepth before it, as ever.
  uint64_t area_of(uint64_t round) const { return round & ((round < kMostAreas ? kAreaDepth : areas_.count) - 1); }
  size_t places_offset() const { return sizeof(BoardHead) + members_ * done_bytes(depth_); }
  size_t logs_offset() const { return places_offset() + size_t{depth_} * members_ * sizeof(BoardPlace); }
  uint64_t first_asked_by_any() const {
    uint64_t first = kAsksForNothing;
    for (uint32_t i = 0; i < members_; ++i) first = std::min(first, log(i).under_way.load(std::memory_order_acquire));
    return before_all_that_differs(first);
  }
  void compare(BoardDone& line, uint64_t step) {
    const uint64_t theirs = end_of(line, step).history;
    const uint64_t ours = end_of(done(member_), step).history;
    if (theirs != ours && theirs != kUnchecked && ours != kUnchecked && step >= compare_from_) [[unlikely]]
      differed_ = true;
  }

  std::byte* base_ = nullptr;
  uint32_t member_ = 0;
  uint32_t members_ = 0;
  uint32_t depth_ = kLeastPlaceDepth;  // of places and strips; a power of two
  BoardAreas areas_;
  uint64_t round_ = 0;
  uint64_t written_ = 0;         // the round that this member publishes next; round_ or later
  uint64_t settled_ = 0;         // every member has finished at least this many rounds
  uint32_t slowest_member_ = 0;  // members below it are known to have finished enough
  uint64_t free_at_ = 0;         // the latest time at which one of them did
  LogWriter writer_;
  uint64_t begun_ = 0;
  uint64_t history_ = 1;
  uint64_t before_ = 1;        // the latest operation
  uint64_t compare_from_ = 0;  // the first step whose histories are compared
  bool differed_ = false;
};

}  // namespace chan
