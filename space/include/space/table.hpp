// The lines of a space's slot in the segment's space table (see spmc/layout.hpp). For the layers above; programs use
// space.h.
//
//   line   offset  contents        who writes
//   0           0  base::WaitLine  the space itself, and wakers
//   1          64  LifeLine        state: see below. The rest: the parent, before the space starts or after its end
//   2         128  ClockLine       the space itself, and watchers
//   3 to 7    192  upper           laid out by the layers above
//
// A slot number is an accident of timing when several spaces allocate at once. Programs see child numbers and paths
// only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <spmc/layout.hpp>
#include <spmc/segment.hpp>

namespace space {

// The states of a slot and their legal transitions, each one CAS of LifeLine::word:
//
//   kFree     -> kReserved   the parent to be (space_alloc)
//   kReserved -> kStarting   parent, just before the fork
//   kStarting -> kRunning    the child, its first access to shared memory
//   kRunning  -> kReturned   the child (space_ret)
//   kReturned -> kRunning    parent (space_sync with restart)
//   kReturned -> kStopping   parent (space_sync without)
//   any but kFree -> kEnded  parent, or a living ancestor when the parent is dead; its process has ended
//   kReserved, kEnded -> kFree   the same, after everything the space held has been taken back
enum class LifeState : uint8_t { kFree, kReserved, kStarting, kRunning, kReturned, kStopping, kEnded };

// State, parent, process and generation in one word, so that each step is one CAS: a space that is killed between two
// instructions leaves a slot that its ancestors can understand.
struct Life {
  LifeState state = LifeState::kFree;
  uint32_t parent = 0;      // slot; 20 bits
  uint32_t pid = 0;         // 0: not known yet; 22 bits, as the kernel's largest
  uint32_t generation = 0;  // how often the slot has been freed, 18 bits: makes a late CAS of a dead owner fail

  static constexpr uint32_t kMaxParent = 1u << 20, kMaxPid = 1u << 22, kGenerations = 1u << 18;

  constexpr uint64_t pack() const {
    return uint64_t(state) | uint64_t{parent} << 4 | uint64_t{pid} << 24 | uint64_t{generation} << 46;
  }
  static constexpr Life unpack(uint64_t word) {
    return {.state = static_cast<LifeState>(word & 15),
            .parent = static_cast<uint32_t>(word >> 4) & (kMaxParent - 1),
            .pid = static_cast<uint32_t>(word >> 24) & (kMaxPid - 1),
            .generation = static_cast<uint32_t>(word >> 46)};
  }
  bool live() const { return state != LifeState::kFree && state != LifeState::kEnded; }
};

inline constexpr int32_t kNoExitCode = -1;
enum EndFlags : uint32_t { kEndSignalled = 1, kEndCore = 2, kEndUnknown = 4 };

struct alignas(64) LifeLine {
  // A Life. Acquire, release. A stale read is safe: every transition is a CAS, and waiters look again when notified.
  std::atomic<uint64_t> word;
  int32_t gid;
  uint32_t child_number;  // among the children of its parent, from 1
  uint64_t path_hash;
  uint64_t heap_base;
  uint64_t heap_bytes;
  // What the space itself says of its end just before it; kNoExitCode until then.
  std::atomic<int32_t> own_exit_code;
  // Written by whoever waited for the process, before kEnded.
  int32_t exit_code;  // exit status, or the signal's number
  uint32_t end_flags;
  std::atomic<uint32_t> ever_parent;  // 1: it has allocated children. Set by the space itself, before the first
};
static_assert(sizeof(LifeLine) == 64);
static_assert(offsetof(LifeLine, heap_base) == 24);
static_assert(offsetof(LifeLine, own_exit_code) == 40);

// What a space publishes for logical time (DESIGN 5.3), by layers above that have it.
enum class ClockKind : uint32_t { kRun = 0, kWaitAll = 1, kWaitAny = 2, kDone = 3 };

struct alignas(64) ClockLine {
  // C. Relaxed reads give a lower bound, since it only grows; release, so that everything stamped up to it is visible.
  std::atomic<uint64_t> clock;
  // Odd while kind and record are being written (a seqlock); readers read it before and after.
  std::atomic<uint32_t> version;
  std::atomic<uint32_t> kind;          // ClockKind
  std::atomic<uint32_t> record_frame;  // first of the frames with its record of what it waits for
  std::atomic<uint32_t> record_words;
  std::atomic<uint64_t> next_match;  // see chan/match/snapshot.hpp
  // The least clock at which a watcher wants to be woken, 0: nobody watches. Watchers lower it, the space takes it.
  std::atomic<uint64_t> wake_at;
  // What others have found out: no earlier than this does it act next. Only grows; whoever learns more raises it. A
  // stale value is smaller: a bound that is true too, and less sharp, so that a reader looks once more.
  std::atomic<uint64_t> next_act;
  uint64_t unused[2];
};
static_assert(sizeof(ClockLine) == 64);
static_assert(offsetof(ClockLine, version) == 8);
static_assert(offsetof(ClockLine, next_match) == 24);

struct SpaceLines {
  spmc::base::WaitLine wait;
  LifeLine life;
  ClockLine clock;
  alignas(64) std::byte upper[320];
};
static_assert(sizeof(SpaceLines) == spmc::kSpaceSlotBytes);
static_assert(offsetof(SpaceLines, life) == 64);
static_assert(offsetof(SpaceLines, clock) == 128);
static_assert(offsetof(SpaceLines, upper) == 192);

inline SpaceLines& lines(spmc::SpaceId id) { return reinterpret_cast<SpaceLines&>(spmc::segment::space_slot(id)); }

inline Life load_life(spmc::SpaceId id) { return Life::unpack(lines(id).life.word.load(std::memory_order_acquire)); }

// Does its process run, or will it, for all that is known? Async-signal-safe. A space whose ancestor has ended is dead
// or dying.
bool alive(spmc::SpaceId id);

}  // namespace space
