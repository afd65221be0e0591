// Regions as they lie in shared memory: the region table, holders, anchor pages, extension pages, page table
// entries.
//
// Lazy tree mapping (paper 004, II.B and III.B). A region is a finite address range that shows one generation
// of pages after another. Each generation has an anchor page; an anchor word names the frame of a page once
// there is one. The extension page, a page of the region itself, names the anchor page of the next
// generation.
//
//   RegionSlot                 generation 5                       generation 6 (newest)
//   +----------------+         +-----------------+                +-----------------+
//   | oldest_anchor -+-------->| header          |                | header          |
//   | oldest_gen = 5 |         | word 0 -> frame |                | word 0 -> frame |
//   | newest_gen = 6 |         | word 1 -> frame |                | word 1: 0       |
//   | producer       |         | ...             |   +----------->| ...             |
//   | holders[6]     |         | word e ---------+---+-+          | word e: 0       |
//   +----------------+         +-----------------+   | |          +-----------------+
//                                 ext page frame: [Link]
//
// A region of more than kAnchorWords pages has one level more: the words of its root anchor page name anchor
// pages.
//
// Positions, not counts. Every space that maps a region has a holder record, which says at which generation
// it stands. The frames of a generation are dead once every holder stands beyond it. A record is written by
// its space alone (by the parent before the space runs, and after its death), so a death at any instant
// leaves nothing half counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <spmc/segment.hpp>
#include <spmc/types.hpp>

namespace spmc {

// One space's mapping of one region. 32 B.
//
//   0 space   4 first_vpage   8 generation   16 anchor   20 unused
struct Holder {
  // Space + 1 of its owner. 0: free. kHolderClaimed | (space + 1): being filled in by that space.
  // 0 -> claimed by compare-and-swap; claimed -> owner with release, when the rest is written; owner -> 0 by
  // the owner or its reaper. A reader that misses a new record looks again: RegionSlot::holders_version.
  std::atomic<uint32_t> space;
  uint32_t first_vpage;
  // Written by the owner, only upwards, with release after its last read of the old generation. A stale
  // (smaller) value is safe: frames live longer.
  std::atomic<uint64_t> generation;
  uint32_t anchor;  // frame of the root anchor page of that generation; for the owner
  uint32_t unused[3];
};
static_assert(sizeof(Holder) == 32 && offsetof(Holder, generation) == 8 && offsetof(Holder, anchor) == 16);
inline constexpr uint32_t kHolderClaimed = 1u << 31;

// States of a region and their legal transitions. The upper 29 bits: of a region that is claimed or dying the
// space (+ 1) that works on it, of a live one the serial number of this life of the table entry.
//   kRegionFree    -> kRegionClaimed  by compare-and-swap of the space that allocates (holders.cpp)
//   kRegionClaimed -> kRegionLive     when the first holder and the first anchor page are there
//   kRegionLive    -> kRegionDying    by compare-and-swap of the last holder to leave or its reaper (collect.cpp)
//   kRegionDying   -> kRegionFree     when every frame is free; release
//   kRegionClaimed or kRegionDying by a dead space -> kRegionDying by its reaper, which carries on (reap.cpp)
enum RegionState : uint32_t { kRegionFree = 0, kRegionClaimed = 1, kRegionLive = 2, kRegionDying = 3 };
constexpr RegionState region_state(uint32_t word) { return static_cast<RegionState>(word & 7); }
constexpr uint32_t region_word(RegionState state, uint32_t upper) { return state | upper << 3; }

inline constexpr uint32_t kInlineHolders = 6;

// 256 B.
//
//   0 state    4 pages      8 producer       12 window   16 holders_version  20 overflow
//  24 freeing 28 number    32 oldest_gen     40 newest_gen
//  48 oldest_anchor        52 creator        56 holder_limit                 60 serial
//  64 .. 255 holders[6]
struct alignas(64) RegionSlot {
  std::atomic<uint32_t> state;  // see RegionState
  uint32_t pages;
  // Space + 1 of the one producer; 0 when it has left or died. Written by the producer (handing over,
  // leaving) and by the reaper of a dead producer; release. A stale value read by a waiter is safe: it looks
  // again.
  std::atomic<uint32_t> producer;
  uint32_t window;  // generations that may live at once
  // Counts additions to the holders; changed (seq_cst) after a record becomes valid and before the adding
  // space may move on. Equal before and after a scan: the scan saw every holder that matters (oldest_held in
  // holders.cpp).
  std::atomic<uint32_t> holders_version;
  std::atomic<uint32_t> overflow;  // frame of the first HolderPage, 0: none; set once by compare-and-swap
  // The frame that the producer (destroyer) is just giving back (collect.cpp, release_frame); for its reaper.
  std::atomic<uint32_t> freeing;
  uint32_t number;  // with `creator` the region's name: the number-th region of that space
  // The producer's (destroyer's). A generation leaves the list before its root anchor page is freed.
  std::atomic<uint64_t> oldest_generation;
  std::atomic<uint64_t> newest_generation;
  std::atomic<uint32_t> oldest_anchor;
  uint32_t creator;
  std::atomic<uint32_t> holder_limit;  // no record with this index or a larger one has been used; only grows
  uint32_t serial;                     // how often this entry has been a region; the allocating space's
  Holder holders[kInlineHolders];
};
static_assert(sizeof(RegionSlot) == 256);
static_assert(offsetof(RegionSlot, freeing) == 24 && offsetof(RegionSlot, oldest_generation) == 32);
static_assert(offsetof(RegionSlot, oldest_anchor) == 48 && offsetof(RegionSlot, holders) == 64);

// More holders, in a frame. Stays with the table entry for its later lives, so that whoever scans the holders
// of a region that ends meanwhile still reads holders.
inline constexpr uint32_t kPageHolders = 127;
struct HolderPage {
  std::atomic<uint32_t> next;
  uint32_t unused[7];
  Holder holders[kPageHolders];
};
static_assert(sizeof(HolderPage) == kPageSize && offsetof(HolderPage, holders) == 32);

// Word: frame index, or 0. Written by the producer with release, once; zeroed by whoever frees the frame.
inline constexpr uint32_t kAnchorWords = 1020;
inline constexpr uint32_t kNoExtension = ~0u;
struct AnchorPage {
  uint64_t generation;
  std::atomic<uint32_t> ext_page;  // page of the region that holds the Link; kNoExtension until extended
  std::atomic<uint32_t> next;      // the Link's anchor once more, for whoever frees the generation
  std::atomic<uint32_t> words[kAnchorWords];
};
static_assert(sizeof(AnchorPage) == kPageSize && offsetof(AnchorPage, words) == 16);
inline constexpr uint32_t kMaxRegionPages = kAnchorWords * kAnchorWords;

// The content of an extension page. The rest of the page is unspecified and never shown.
inline constexpr uint64_t kLinkMagic = 0x4b'4e'49'4c'43'4d'50'53;  // "SPMCLINK"
struct Link {
  uint64_t magic;
  uint64_t generation;  // of the next anchor page
  uint32_t anchor;      // its frame
  uint32_t ext_page;    // the page of the region that this is
};

// PageInfo::page of frames that are no data pages.
inline constexpr uint32_t kTagLink = 1u << 30;  // | page of the region
inline constexpr uint32_t kTagRootAnchor = ~0u;
inline constexpr uint32_t kTagHolders = ~1u;
inline constexpr uint32_t kTagSubAnchor = 1u << 31;  // | index of the word in the root

// A page table entry: bits 0..27 a number, P present, W writable, O produced by this space.
//   0                     nothing is mapped
//   P = 0, number > 0     mapped, no frame yet; number = RegionId + 1
//   P = 1                 number = the frame; its PageInfo names the region
// Written by the space, and by its parent while it does not run.
using Pte = uint32_t;
inline constexpr Pte kPteNumber = (1u << 28) - 1;
inline constexpr Pte kPtePresent = 1u << 28;
inline constexpr Pte kPteWritable = 1u << 29;
inline constexpr Pte kPteOwner = 1u << 30;

inline Pte* eptab(SpaceId id) {
  return segment::at<Pte>(segment::header().eptabs_offset) + size_t{id.value} * segment::header().vpages;
}
inline RegionSlot& region_slot(RegionId id) {
  return segment::at<RegionSlot>(segment::header().regions_offset)[id.value];
}

}  // namespace spmc
