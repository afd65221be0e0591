// What a space knows about its channels and streams. All of it is private memory of the space: a child gets its
// copy by being forked and keeps only what was handed to it. Shared is the region alone.
//
// A stream is a channel without borders between messages: the same region, records and table. Below, "channel"
// means either, unless a stream is named.
//
// The window (inode) of a channel of n pages:
//
//   page 0 .. n-2    records, one behind the other, filled again in every generation
//   page n-1         extension page: links this filling to the next one
//
// A record is a piece of a message that lies within one filling. Records begin at multiples of 16 bytes, so a
// header never crosses a page.
//
//   0        8        16
//   | part   | whole  | part bytes of the message ... | up to 15 bytes unused |
//     a        b        (a, b as in paper 004, III.C.3)
//
// The pieces of a message follow each other, all with the same `whole`; it is complete when the parts add up
// to it. In a stream `whole` is the record's place: the bytes of the stream before it. Bits of `part` are flags:
//   kPageEnds  the next record begins on the next page: the rest of this page was published unused
//   kPad       no message: only there to carry kPageEnds
//   kEnd       the end of the stream; nothing follows
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <chan/chan.h>
#include <spmc/self.hpp>
#include <spmc/types.hpp>

namespace chan {

struct RecordHeader {
  uint64_t part;   // bytes in this record, and flags
  uint64_t whole;  // bytes in the message; of a stream: bytes before this record
};
static_assert(sizeof(RecordHeader) == 16);

inline constexpr uint64_t kPageEnds = uint64_t{1} << 63;
inline constexpr uint64_t kPad = uint64_t{1} << 62;
inline constexpr uint64_t kEnd = uint64_t{1} << 61;
inline constexpr uint64_t kPartMask = kEnd - 1;
inline constexpr size_t kHeaderBytes = sizeof(RecordHeader);
inline constexpr size_t kDefaultWindow = 512 * 1024;
// Large messages are written, published and read in portions of this size, so that both sides work at the
// same time.
inline constexpr size_t kPortion = 64 * 1024;

// Legal transitions, each in one function of channel_setup.cpp:
//   kProducer -> kConsumer   setprod with ascons
//   kProducer -> kSetup      setprod without ascons
//   kSetup    -> kGiven      the child that has the producer's end is started
// A freed end leaves the table. A child's table starts with what it was handed; the rest of its parent's ends
// are kForeign there.
enum class Role : uint8_t { kProducer, kConsumer, kSetup, kGiven, kForeign };

enum class Kind : uint8_t { kChannel, kStream };

struct Channel {
  chan_id id = -1;
  Kind kind = Kind::kChannel;
  std::byte* inode = nullptr;  // in SPMC memory
  size_t bytes = 0;            // of the inode, with the extension page
  Role role = Role::kForeign;
  chan_policy policy = CHAN_EAGER;
  // Offsets into the inode, for this generation.
  size_t offset = 0;       // where the next record begins
  size_t fixed = 0;        // producer: pages before this are fixed
  size_t published = 0;    // producer: records before this are visible
  int producer_child = 0;  // kSetup: the child that got the producer's end
  bool broken = false;     // consumer: the producer was gone within what was to be received, or a read of a stream
  // Of a stream alone.
  uint64_t position = 0;            // bytes before `offset`; a consumer's: bytes that it has read
  bool ended = false;               // the end is written, or reached
  std::vector<std::byte> withheld;  // producer: written and not yet in the window, less than a page
  RecordHeader record{};            // consumer: the record at `offset`, if it has read a part of it
  uint64_t taken = 0;               // consumer: bytes of `record` that it has read

  size_t record_bytes() const { return bytes - spmc::kPageSize; }  // where the extension page begins
  std::byte* extension() const { return inode + record_bytes(); }
  bool window_full() const { return offset == record_bytes(); }
};

constexpr size_t page_up(size_t n) { return (n + spmc::kPageSize - 1) & ~(spmc::kPageSize - 1); }
constexpr size_t page_down(size_t n) { return n & ~(spmc::kPageSize - 1); }
// What a record with `part` bytes takes.
constexpr size_t record_span(size_t part) { return kHeaderBytes + ((part + 15) & ~size_t{15}); }

// An end on its way to a child: written by the parent, found by the child in its copy of the table.
struct Handover {
  int child;           // by its parent's count, never used again
  spmc::SpaceId slot;  // how the child knows itself; used again after its end
  Channel end;
};

// Every function may throw std::bad_alloc where it must note something, and has then changed nothing.
class Table {
 public:
  // The table of the space that runs now. Once it was there for a space, it does not throw any more.
  static Table& mine();

  Channel* find(chan_id id);
  // A new channel, under the next ID; returns that.
  chan_id add(const Channel& channel);
  void remove(chan_id id) { channels_.erase(id); }
  // The new record.
  Handover& hand_over(const Handover& handover) { return handed_.emplace_back(handover); }
  void take_back_last_handover() { handed_.pop_back(); }
  bool has_handed(int child, chan_id id) const;

 private:
  void adopt(spmc::SpaceId self);
  chan_id next_id() const;
  void before_start(spmc::SpaceId slot);
  void after_start(spmc::SpaceId slot);
  bool adopted_ = false;
  spmc::SpaceId owner_;
  uint32_t last_number_ = 0;
  std::unordered_map<chan_id, Channel> channels_;
  std::vector<Handover> handed_;
};

// --- channel_error.cpp ---
// Notes the failure for chan_last_error, sets errno, returns -1.
int fail(int code, const char* format, ...) __attribute__((format(printf, 2, 3)));
// The same for a call of the layer below, which has just set errno and its own sentence.
int fail_below(const char* call, const Channel& channel);
// 0, or -1 with EINVAL: there is no buffer where one is needed.
int check_buffer(const char* call, const Channel& channel, const void* buf, size_t size);
// For std::bad_alloc.
int fail_without_memory(const char* call);
// For a process that a space has forked without space_start.
int fail_outside_space(const char* call);
inline int check_space(const char* call) { return spmc::forked_by_itself() ? fail_outside_space(call) : 0; }
const char* noun(Kind kind);

// The channel of this kind, whatever this space has of it; null: nothing, and the failure is noted.
Channel* find_known(const char* call, Kind kind, chan_id id);
// The channel of this kind, if this space has an end of it; else notes the failure and returns null.
Channel* find_end(const char* call, Kind kind, chan_id id);
// The same, and the end must have `role`.
Channel* find_end(const char* call, Kind kind, chan_id id, Role role);

// --- channel_setup.cpp ---
// The producer's child starts: the right to hand out consumers' ends goes, and with it the old frames it kept alive.
void give_away(Channel& channel);

// --- stream_write.cpp ---
// Puts what is withheld into the window and publishes it. A failure is noted, and frees the producer's end.
int flush_withheld(const char* call, Channel& stream);

}  // namespace chan
