// A lane: the implicit channel from one space to another, on SPMC frames. One producer, one consumer, records in order.
//
//   ring of cells, one cache line each, in frames of the producer; positions count cells for ever (modulo: the ring)
//
//      consumed | published records ...            | 0 |  free ...
//               ^ consumer's position  producer's ^  marker of the next record, cleared before this one is published
//
//   In a place of its own, dense for all lanes of a producer: cells that it has published. So whoever wants to know of
//   many lanes whether the consumer has passed all of it need not look into their rings.
//
//   A record is one header cell and, for a payload of more than kInCellBytes, the cells behind it; it never wraps.
//   Where it is faster (LineCare), records with such cells go round in the first cells of the ring as long as the
//   consumer keeps up: lines that both have in their first-level caches move faster.
//
// Protocols. Single producer: only the producer writes cells. Consumed after fixed: a record exists for the consumer
// once its marker is not 0, which the producer stores last, with release: that is the page's watermark moving up by a
// record. Fixed at most once: between the marker's store and the consumer's passing of the position nobody writes
// there. The frames are recycled in place, generation after generation; the consumer's published position is the proof
// that it has moved past.
//
// Cost of a short message: one cache line moved. No system call, no lock, no allocation, no atomic read-modify-write.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <base/sys.hpp>
#include <spmc/segment.hpp>

namespace chan {

inline constexpr size_t kCellBytes = 64;
inline constexpr size_t kInCellBytes = 32;

// Kinds of record; 0 stands for "not published". Values from kFirstUserKind belong to the layer above.
inline constexpr uint32_t kSkipRecord = 1;  // the rest of the ring is unused: go on at its beginning
inline constexpr uint32_t kFirstUserKind = 2;

struct alignas(64) Cell {
  std::atomic<uint32_t> marker;  // kind of record; producer: 0 relaxed, then kind release; consumer: acquire
  uint32_t aux;                  // meaning by kind
  uint64_t stamp;                // logical arrival time
  uint64_t bytes;                // of the whole message
  uint32_t context;
  int32_t tag;
  std::byte payload[kInCellBytes];
};
static_assert(sizeof(Cell) == kCellBytes && offsetof(Cell, payload) == 32);

// What producer and consumer know of a lane; in shared memory, zero at first. One line per ordered pair of spaces.
struct alignas(64) LaneLine {
  std::atomic<uint32_t> ring;      // first frame of the ring, 0: none yet. Producer, once, release
  uint32_t cells;                  // in the ring, a power of two; written before `ring`
  std::atomic<uint64_t> consumed;  // cells the consumer has moved past. Consumer, release. A stale value is too
                                   // small, which only makes the ring look fuller than it is
  uint64_t unused[6];
};
static_assert(sizeof(LaneLine) == 64);

// How a producer treats the lines of its records. What is fastest is a matter of the machine; no record depends on it.
struct LineCare {
  // The ring's first cells, a power of two, in which records of several cells go round if they can; 0: no such number.
  uint32_t round = 0;
  // Of records of up to so many cells: when one is published, lines of the next ones, which are taken to be as long,
  // are asked for, so that they are here when those are written.
  uint32_t fetched = 0;
  // Of records of several, up to so many cells: when one is published, its lines go to the cache that both cores share.
  // Of those that others may follow at once, which that would hold up: up to so many.
  uint32_t demoted = 0;
  uint32_t demoted_in_burst = 0;
};

// The producer's end. Private to its space.
class LaneOut {
 public:
  bool open() const { return cells_ != nullptr; }

  // Starts the lane on `cells` cells (a power of two) in consecutive frames of the caller, all zero. `sent` is where
  // it tells how many it has published: the cells of all records so far, 0 at first.
  void start(LaneLine& line, std::atomic<uint64_t>& sent, spmc::EPageIndex ring, uint32_t cells, LineCare care = {}) {
    line_ = &line;
    care_ = care;
    sent_ = &sent;
    cells_ = reinterpret_cast<Cell*>(spmc::segment::frame(ring));
    mask_ = cells - 1;
    line.cells = cells;
    line.ring.store(ring.value, std::memory_order_release);
  }

  static uint32_t cells_for(size_t payload) {
    return payload <= kInCellBytes ? 1 : 1 + static_cast<uint32_t>((payload + kCellBytes - 1) / kCellBytes);
  }
  // Records of up to this many payload bytes always fit into an empty ring.
  static size_t max_payload(uint32_t cells) { return (cells / 4) * kCellBytes; }

  // The header cell for a record of `cells` cells, or null while there is no room. What follows it is the payload's
  // room.
  Cell* try_reserve(uint32_t cells) {
    const auto at = static_cast<uint32_t>(produced_) & mask_;
    const uint32_t to_end = mask_ + 1 - at;
    const uint32_t skip = cells > to_end || begins_anew(at, cells, to_end) ? to_end : 0;
    // One more than the record: the marker behind it must be cleared, so its cell must be free too.
    if (!has_room(skip + cells + 1)) [[unlikely]]
      return nullptr;
    if (skip != 0) [[unlikely]] {
      cells_[0].marker.store(0, std::memory_order_relaxed);
      cells_[at].marker.store(kSkipRecord, std::memory_order_release);
      produced_ += skip;
    }
    return &cell_at(produced_);
  }

  // Publishes the record that was reserved last and filled in. The marker behind it is usually clear already, since
  // that behind the next one, which is taken to be as long, is cleared here too, off the path of the message: stores
  // reach memory in order, and fetching that line before the message's would delay it. `in_burst`: it may be one of
  // many, which the caller publishes before it waits.
  void publish(Cell* header, uint32_t cells, uint32_t kind, bool in_burst = false) {
    produced_ += cells;
    if (cleared_ != produced_) cell_at(produced_).marker.store(0, std::memory_order_relaxed);
    header->marker.store(kind, std::memory_order_release);
    sent_->store(produced_, std::memory_order_relaxed);    // before whatever the producer publishes next, with release
    if (produced_ + cells + 1 - consumed_ <= mask_ + 1) {  // else that cell may not be ours yet
      cleared_ = produced_ + cells;
      cell_at(cleared_).marker.store(0, std::memory_order_relaxed);
      if (cells <= care_.fetched) fetch_next(cells);
    }
    if (cells > 1 && cells <= (in_burst ? care_.demoted_in_burst : care_.demoted)) demote(header, cells);
  }

  // Of the record that was reserved last and is not published; without one, no later than where the next one begins.
  uint64_t position() const { return produced_; }
  bool all_consumed() const { return line_->consumed.load(std::memory_order_acquire) == produced_; }

 private:
  // The payload of the record that comes next; of short records, which come in bursts, the header of one of those after
  // it, since all later stores of the program wait for that of a marker.
  void fetch_next(uint32_t cells) const {
    constexpr uint32_t kShortOnes = 8;
    if (cells == 1) return spmc::base::prefetch_to_write(&cell_at(produced_ + kShortOnes));
    for (uint32_t i = 1; i < cells; ++i) spmc::base::prefetch_to_write(&cell_at(produced_ + i));
  }
  static void demote(const Cell* header, uint32_t cells) {
    for (uint32_t i = 0; i < cells; ++i) spmc::base::demote_line(header + i);
  }

  // Asked at the ends of rounds alone, as the consumer's position may be a line of its cache.
  bool begins_anew(uint32_t at, uint32_t cells, uint32_t to_end) {
    if (cells == 1 || care_.round == 0 || at < care_.round || (at & (care_.round - 1)) >= cells) [[likely]]
      return false;
    return has_room(to_end + cells + 1);
  }

  bool has_room(uint32_t cells) {
    if (produced_ + cells - consumed_ <= mask_ + 1) [[likely]]
      return true;
    consumed_ = line_->consumed.load(std::memory_order_acquire);
    return produced_ + cells - consumed_ <= mask_ + 1;
  }

  Cell& cell_at(uint64_t position) const { return cells_[static_cast<uint32_t>(position) & mask_]; }

  LaneLine* line_ = nullptr;
  std::atomic<uint64_t>* sent_ = nullptr;
  Cell* cells_ = nullptr;
  uint32_t mask_ = 0;
  LineCare care_;
  uint64_t produced_ = 0;
  uint64_t cleared_ = 0;   // the marker at this position was cleared ahead; 0: none
  uint64_t consumed_ = 0;  // last seen
};

// The consumer's end. Private to its space.
class LaneIn {
 public:
  bool open() const { return cells_ != nullptr; }

  bool try_open(LaneLine& line) {
    const spmc::EPageIndex ring{line.ring.load(std::memory_order_acquire)};
    if (ring.none()) return false;
    line_ = &line;
    cells_ = reinterpret_cast<Cell*>(spmc::segment::frame(ring));
    mask_ = line.cells - 1;
    return true;
  }

  // The next record's header, or null when none is published. Its payload follows it, or is inside.
  Cell* peek() {
    for (;;) {
      Cell* cell = &cells_[static_cast<uint32_t>(consumed_) & mask_];
      const uint32_t kind = cell->marker.load(std::memory_order_acquire);
      if (kind != kSkipRecord) [[likely]]
        return kind == 0 ? nullptr : cell;
      consumed_ = (consumed_ | mask_) + 1;
    }
  }
  static const std::byte* payload(const Cell* header, size_t bytes) {
    return bytes <= kInCellBytes ? header->payload : reinterpret_cast<const std::byte*>(header + 1);
  }

  // Is there a record that the consumer has not passed? For anybody. A stale `sent` is too small: it hides only records
  // after which the producer has published nothing else that the caller has seen, with acquire. A stale position of the
  // consumer, and any that is read while it moves on, is of no meaning, so the caller must learn by other means whether
  // it has.
  static bool unread(const LaneLine& line, const std::atomic<uint64_t>& sent) {
    return sent.load(std::memory_order_acquire) > line.consumed.load(std::memory_order_acquire);
  }

  // Moves past the record of `cells` cells: its cells belong to the producer again.
  void pass(uint32_t cells) {
    consumed_ += cells;
    line_->consumed.store(consumed_, std::memory_order_release);
  }

 private:
  LaneLine* line_ = nullptr;
  Cell* cells_ = nullptr;
  uint32_t mask_ = 0;
  uint64_t consumed_ = 0;
};

}  // namespace chan
