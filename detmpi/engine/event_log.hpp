// The event logs of one run: what each rank did and what it was told, in order, for detmpirun --verify, which compares
// the logs of several runs (job/compare_runs.hpp).
//
// One sparse file in memory, made by detmpirun and mapped by every rank and by detmpirun:
//
//   EventLogHead                     4 KiB
//   RankEvents  heads[ranks]         64 B each; the rank itself
//   EventRecord logs[ranks][room]    40 B each; the rank itself, one after the other
//
// Ranks write into the mapping, so whatever they have noted is there however they end, and nothing is ever flushed.
// Each has room for the same number of records, so that the place where a log is full does not depend on timing. What
// comes later is in the digest alone.
//
// An *act* is what the program does: the call, the message that it sends, what it asks for. An *answer* is what it is
// told: which message it gets, whether a test succeeds. A rank that has been told the same acts the same, unless the
// program brings something in from outside.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace detmpi {

enum class EventKind : uint8_t {
  kNone,
  // acts
  kCall,     // calls a function and does nothing of the following (in the same call)
  kSend,     // to peer: tag, bytes, content
  kReceive,  // asks for a message from peer, which may be any: tag, room in bytes
  kProbe,    // looks for one: peer, tag
  kEnter,    // a round of a collective operation: bytes, content
  // answers
  kGot,        // a receive is complete: message from peer, tag, bytes, content
  kSent,       // a request of a send is complete
  kCancelled,  // a request was cancelled
  kSeen,       // a probe sees a message: peer, tag, bytes
  kNothing,    // a test or a probe fails
  kLeave,      // a round of a collective operation: content of what it was told
};
constexpr bool is_act(EventKind kind) { return kind <= EventKind::kEnter; }

struct EventRecord {
  uint64_t time = 0;  // logical
  uint64_t bytes = 0;
  uint64_t content = 0;  // hash_bytes
  int32_t peer = 0;      // rank in the communicator, or MPI_ANY_SOURCE
  int32_t tag = 0;
  uint32_t context = 0;  // of the message or operation (contexts.hpp); 0 for kCall
  uint16_t call = 0;     // CallId
  EventKind kind = EventKind::kNone;
  uint8_t unused = 0;

  bool operator==(const EventRecord&) const = default;
};
static_assert(sizeof(EventRecord) == 40);

// How the rank has ended by itself. kOpen: it has not, or as nothing but the job's end tells: by an error that nobody
// handles, which may be found out sooner or later, or killed.
enum class LogEnd : uint32_t { kOpen, kFinalized, kCrashed, kAborted, kLeft };
// In the bytes above it: the signal of a crash, the code of an abort or an exit; 0: unknown.
constexpr LogEnd with_code(LogEnd how, int code) {
  return static_cast<LogEnd>(static_cast<uint32_t>(how) | static_cast<uint32_t>(code) << 8);
}
constexpr LogEnd kind_of(LogEnd end) { return static_cast<LogEnd>(static_cast<uint32_t>(end) & 0xff); }
constexpr int code_of(LogEnd end) { return static_cast<int32_t>(end) >> 8; }

// Written by the rank, relaxed: read while it runs for its pid alone, and for all else when it has ended.
struct alignas(64) RankEvents {
  std::atomic<int32_t> pid;      // 0: it has not begun yet
  std::atomic<uint32_t> end;     // LogEnd, with its code
  std::atomic<uint64_t> count;   // events noted, also those that found no room
  std::atomic<uint64_t> digest;  // of all of them but the last
};
static_assert(sizeof(RankEvents) == 64);

struct alignas(4096) EventLogHead {
  uint32_t ranks;
  uint64_t room;         // records of each rank
  uint64_t digest;       // of the job, as detmpirun --digest; written when it has ended, as is all that follows
  uint32_t early;        // 1: the job ended before all ranks did
  uint32_t even;         // 1: it did not, or did so where it does in every run
  uint32_t not_started;  // 1: the job could not be made, or the program not be started
  uint32_t timed_out;    // 1: --timeout has ended the job
};

class EventLog {
 public:
  // Bytes of the file.
  static size_t size_for(uint32_t ranks, uint64_t room) {
    return heads_size(ranks) + ranks * room * sizeof(EventRecord);
  }
  static size_t heads_size(uint32_t ranks) { return sizeof(EventLogHead) + ranks * sizeof(RankEvents); }

  EventLog() = default;
  explicit EventLog(std::byte* base) : base_(base) {}
  bool none() const { return base_ == nullptr; }

  EventLogHead& head() const { return *reinterpret_cast<EventLogHead*>(base_); }
  RankEvents& rank(int rank) const { return reinterpret_cast<RankEvents*>(base_ + sizeof(EventLogHead))[rank]; }
  EventRecord* records(int rank) const {
    return reinterpret_cast<EventRecord*>(base_ + heads_size(head().ranks)) + static_cast<uint64_t>(rank) * head().room;
  }
  // Of them are there.
  uint64_t kept(int r) const {
    const uint64_t count = rank(r).count.load(std::memory_order_relaxed);
    return count < head().room ? count : head().room;
  }

 private:
  std::byte* base_ = nullptr;
};

}  // namespace detmpi
