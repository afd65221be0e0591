// The log of a member of a board (board.hpp): the operations that it has begun, for telling what differed. The member
// alone writes it; everybody reads.
//
//   words                 what others wait for, and what may be used again
//   chunks[kLogChunks]    frames of kChunkNotes notes each: note i is in chunk i / kChunkNotes, the frame of chunk c is
//                         chunks[c % kLogChunks]
//
// Members may be any number of operations apart where they do not wait for each other, and an operation may be under
// way while many others begin. So each member says which is the earliest that it is still in. It may ask for what
// others have begun from a few before that on; chunks in which all is older are used again. Who would be more than
// kLogChunks ahead loses the oldest: then it is not told what differed, and maybe not that something did.
#pragma once

#include <spmc/segment.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace chan {

// One operation, in words whose meaning is the writer's.
struct BoardNote {
  uint64_t what[2];
  uint64_t stamp;        // logical time of its begin
  uint64_t place;        // address in the program
  uint64_t history = 0;  // hash of all operations up to this one; put in by the board
};

inline constexpr uint64_t kChunkNotes = spmc::kPageSize / sizeof(BoardNote);
inline constexpr uint64_t kLogChunks = 128;
inline constexpr uint64_t kLookBack = 255;  // a difference that nobody read is found that much later at most
inline constexpr uint64_t kLogHidden = ~uint64_t{0};
// In the words of which others wait that they grow: the member takes part in nothing that follows.
inline constexpr uint64_t kQuit = uint64_t{1} << 61;
inline constexpr uint64_t kAsksForNothing = ~uint64_t{0};

struct alignas(64) BoardLog {
  // Operations. Its member, release, after the note. A stale value is too small. kLogHidden: nothing in it counts.
  std::atomic<uint64_t> begun;
  // 1 + the latest round in which the member has published something. Its member, release; a stale value is too small.
  std::atomic<uint64_t> published;
  // The earliest operation that the member is in. Its member, release, after it has read what it asked for; others
  // acquire it before they use the memory again. It only grows: a stale value keeps what is not needed.
  std::atomic<uint64_t> under_way;
  // Notes before this one are gone. Its member, before it writes over them: who reads looks at it afterwards.
  std::atomic<uint64_t> kept_from;
  uint64_t unused[4];
  // 0: none. Its member, before `begun` counts a note in it; who reads a later one finds that in kept_from.
  std::atomic<uint32_t> chunks[kLogChunks];
};
static_assert(sizeof(BoardLog) == 64 + kLogChunks * 4);

// A frame of this member's; does not return without one.
using TakeFrame = spmc::EPageIndex();

inline uint64_t before_all_that_differs(uint64_t number) { return number - std::min(number, kLookBack); }

inline void copy_note(BoardNote& to, const BoardNote& from) {
  const auto copy = [](uint64_t& t, const uint64_t& f) {
    std::atomic_ref(t).store(std::atomic_ref(const_cast<uint64_t&>(f)).load(std::memory_order_relaxed),
                             std::memory_order_relaxed);
  };
  copy(to.what[0], from.what[0]);
  copy(to.what[1], from.what[1]);
  copy(to.stamp, from.stamp);
  copy(to.place, from.place);
  copy(to.history, from.history);
}

// Note `number`, if its member has begun that and it is kept.
std::optional<BoardNote> note_in(const BoardLog& log, uint64_t number);

// As long as it lives the operation is under way. It may live longer than the log.
class UnderWay {
 public:
  // `all`: numbers in ascending order.
  UnderWay(std::shared_ptr<std::vector<uint64_t>> all, uint64_t number) : all_(std::move(all)), number_(number) {
    all_->push_back(number);
  }
  ~UnderWay() { all_->erase(std::ranges::lower_bound(*all_, number_)); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  std::shared_ptr<std::vector<uint64_t>> all_;
  uint64_t number_;
};

// Its member's side, but for what is shared.
class LogWriter {
 public:
  explicit LogWriter(TakeFrame* take_frame = nullptr) : take_frame_(take_frame) {}

  bool needs_chunk() const { return left_ == 0; }
  // For note `number`. `asked`: the first note that anybody may ask for.
  void start_chunk(BoardLog& log, uint64_t number, uint64_t asked);
  void write(BoardLog& log, uint64_t number, const BoardNote& note) {
    copy_note(*next_++, note);
    --left_;
    log.under_way.store(first_under_way(number), std::memory_order_release);
    log.begun.store(number + 1, std::memory_order_release);
  }
  // The latest note belongs to other operations than it said. Whoever still reads the old hash finds that the note itself
  // differs, as with the new one.
  void amend(uint64_t history) {
    if (next_ != nullptr) std::atomic_ref(next_[-1].history).store(history, std::memory_order_relaxed);
  }
  std::shared_ptr<std::vector<uint64_t>> under_way() {
    if (under_way_ == nullptr) under_way_ = std::make_shared<std::vector<uint64_t>>();
    return under_way_;
  }
  uint64_t first_under_way(uint64_t otherwise) const {
    return under_way_ == nullptr || under_way_->empty() ? otherwise : under_way_->front();
  }

 private:
  spmc::EPageIndex take_oldest(BoardLog& log);

  TakeFrame* take_frame_;
  BoardNote* next_ = nullptr;                         // in the latest chunk
  uint64_t left_ = 0;                                 // notes for which it has room
  uint64_t oldest_ = 0;                               // chunk that is kept
  std::shared_ptr<std::vector<uint64_t>> under_way_;  // null: there was none yet
};

// Nothing in it counts any more, and its member asks for nothing.
void hide(BoardLog& log);
void asks_for_nothing(BoardLog& log);
// Of a log that nobody looks at any more.
void free_chunks(BoardLog& log);

}  // namespace chan
