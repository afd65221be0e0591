// What workers tell the root while they work: a line for each in shared memory, which stays when its worker has died.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include <base/mapping.hpp>
#include <base/unique_fd.hpp>

namespace dmr {

// How a worker has ended by its own account. Nothing becomes one of the others, once, as the last thing it does; where
// it stays nothing, the worker has failed, whatever its exit code is: the job's functions may call exit().
enum class Outcome : uint32_t { kNothing, kDone, kStopped };  // done: all is sent; stopped: because of another

// Of one mapper or reducer. Written by it, and read by the root: what is atomic at any time, the rest after its end.
// The root writes the message of a worker that it ends.
struct alignas(64) WorkerLine {
  static constexpr uint64_t kNothing = UINT64_MAX;

  std::atomic<uint64_t> piece;       // mapper: that it maps now; kNothing: none
  std::atomic<uint32_t> file;        // in which it begins
  std::atomic<uint64_t> begin, end;  // what of it
  std::atomic<uint64_t> steps;       // pieces or keys done
  // Calls of functions of the job's: their number, times 2^32; and in the low half how often the worker has entered
  // and left that call. Odd: it is in the job's own code, to which the time limit applies.
  std::atomic<uint64_t> turns;
  Outcome outcome;
  uint64_t pairs, bytes_spilled;
  uint64_t key_hash;  // reducer: of the key that it reduces now
  uint64_t key_bytes;
  char key[128];      // its first ones; all of a longer one is in a file (Board::set_key)
  char message[512];  // why it failed; "" if it did not, or died

  // Of the worker.
  void begin_turn() { set_turns(((turns_now() >> 32) + 1) << 32 | 1); }
  void leave_turn() { set_turns(turns_now() + 1); }
  void enter_turn() { set_turns(turns_now() + 1); }
  void end_turn() { leave_turn(); }
  // The exception that is being handled; the first stays.
  void note_failure() {
    if (message[0] != '\0') return;
    try {
      throw;
    } catch (const std::exception& error) {
      set_message(error.what());
    } catch (...) {
      set_message("an exception that is no std::exception");
    }
  }

  bool has_failed() const { return outcome == Outcome::kNothing; }  // after its end
  bool in_turn() const { return turns_now() % 2 != 0; }
  uint64_t turns_now() const { return turns.load(std::memory_order_relaxed); }
  std::string_view begin_of_key() const { return {key, std::min(key_bytes, sizeof key)}; }
  void set_message(std::string_view text) {
    const size_t size = std::min(text.size(), sizeof message - 1);
    std::memcpy(message, text.data(), size);
    message[size] = '\0';
  }

 private:
  void set_turns(uint64_t now) { turns.store(now, std::memory_order_relaxed); }  // nobody else writes them
};

struct BoardHeader {
  static constexpr uint32_t kCrewClosed = 1u << 31;

  // The first piece of which the map failed, as far as is known; only falls. Mappers go on with pieces before it, so
  // that the one that is told of is the first of the input, in every run.
  alignas(64) std::atomic<uint64_t> first_failure;
  // The piece that is taken next, by whoever adds one: so pieces are begun in the order of the input. Nothing else is
  // told by it.
  alignas(64) std::atomic<uint64_t> next_piece;
  // How many mappers there are: the first so many (crew.hpp). The root counts one when it has been started, which waits
  // for that; kCrewClosed is set by it or by a mapper that finds no piece, and then no more are to come. Reducers wait
  // for that.
  // A mapper that sees an old number takes more memory than its share, until it looks again.
  alignas(64) std::atomic<uint32_t> crew;
};

class Board {
 public:
  Board(uint32_t mappers, uint32_t reducers);  // throws JobError
  BoardHeader& header() const { return *reinterpret_cast<BoardHeader*>(memory_.base()); }
  WorkerLine& mapper(uint32_t number) { return lines()[number]; }
  WorkerLine& reducer(uint32_t number) { return lines()[mappers_ + number]; }
  void fail_at(uint64_t piece);
  uint64_t take_piece() { return header().next_piece.fetch_add(1, std::memory_order_relaxed); }
  // Of the root, when it has started the next mapper. It counts, unless no more are to come (false).
  bool add_mapper();
  // Of a mapper, at its begin: blocks until it counts, or is one too many (false).
  bool await_place(uint32_t number) const;
  uint32_t mappers() const { return header().crew.load(std::memory_order_relaxed) & ~BoardHeader::kCrewClosed; }
  void close_crew();
  // Blocks until it is closed: how many mappers there are.
  uint32_t await_crew() const;
  // Of a reducer, by itself: the key that it reduces now.
  void set_key(uint32_t number, std::string_view key, uint64_t hash);
  // After its end.
  std::string key(uint32_t number);

 private:
  WorkerLine* lines() { return reinterpret_cast<WorkerLine*>(memory_.base() + sizeof(BoardHeader)); }
  uint32_t mappers_;  // at most
  spmc::base::Mapping memory_;
  spmc::base::UniqueFd long_keys_;  // in memory: the key of each reducer, if it is long
};

}  // namespace dmr
