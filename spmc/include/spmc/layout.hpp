// The shared segment: one sparse memfd, mapped at kSegmentAddress in every space.
//
//   offset            contents                                    who writes
//   0                 Header, 4 KiB                                creator; counters by all
//   spaces_offset     SpaceSlot[max_spaces], 512 B each            line 0: spmc/base; rest: space and above
//   regions_offset    RegionSlot[max_regions], 256 B each          spmc (region.cpp)
//   pageinfo_offset   PageInfo[frames], 16 B each                  owner of the frame's chunk; frees by anyone
//   chunks_offset     uint32[frames / 64], owner of each chunk     CAS by the one that claims
//   eptabs_offset     Pte[max_spaces][vpages], 4 B each            the space itself; its parent while it is not running
//   frames_offset     frames, 4 KiB each                           the producer of the frame
//
// Everything is sparse: what is never touched costs nothing. There are no pointers in the segment.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <base/wait.hpp>
#include <spmc/types.hpp>

namespace spmc {

inline constexpr uintptr_t kSegmentAddress = 0x2000'0000'0000;
inline constexpr uintptr_t kSpmcVmAddress = 0x3000'0000'0000;
inline constexpr uint64_t kMagic = 0x31'58'55'4e'49'4c'44'00;  // "\0DLINUX1"
inline constexpr uint32_t kVersion = 2;
inline constexpr uint32_t kFramesPerChunk = 64;

struct alignas(4096) Header {
  uint64_t magic;
  uint32_t version;
  uint32_t max_spaces;
  uint32_t max_regions;
  uint32_t frames;  // multiple of kFramesPerChunk
  uint32_t vpages;  // per space
  uint32_t modes;   // the first space's mode (spmc.h), and that of spaces that join by exec
  uint64_t segment_bytes;
  uint64_t spaces_offset;
  uint64_t regions_offset;
  uint64_t pageinfo_offset;
  uint64_t chunks_offset;
  uint64_t eptabs_offset;
  uint64_t frames_offset;
  base::Fences fences;     // of sleepers and wakers (base/wait.hpp); all must agree
  uint32_t root_value[7];  // free for the layer that owns the job (first frame of its tables, ...)
  alignas(64) std::atomic<uint32_t> chunks_seen;  // chunks from here on never had an owner
  std::atomic<uint32_t> next_region;  // regions are numbered in order of allocation, and reused lowest first
  uint32_t window_pages;              // memory that a region's window of generations may take; set by the creator
  std::atomic<uint32_t> slots_seen;   // space slots from here on were never in use (space/slots.hpp)
};
static_assert(sizeof(Header) == 4096);
static_assert(offsetof(Header, segment_bytes) == 32);
static_assert(offsetof(Header, chunks_seen) % 64 == 0);

inline constexpr size_t kSpaceSlotBytes = 512;
struct alignas(64) SpaceSlot {
  base::WaitLine wait;   // line 0
  std::byte upper[448];  // lines 1 to 7: laid out by the space layer (space/table.hpp)
};
static_assert(sizeof(SpaceSlot) == kSpaceSlotBytes);

// Frame states and their legal transitions:
//   kFree -> kHeld   only by the owner of the frame's chunk (frames.cpp)
//   kHeld -> kFree   by whoever proves that nobody uses the frame any more; release, so that the next owner's acquire
//                    sees all reads of the old content done
enum FrameState : uint32_t { kFrameFree = 0, kFrameHeld = 1 };

struct PageInfo {
  std::atomic<uint32_t> state;  // FrameState
  // Published length: bytes from the start of the page that consumers may read. Written by the producer only, only
  // upwards, with release; kPageSize once the page is fixed. A stale (smaller) value is safe: the reader waits.
  std::atomic<uint32_t> published;
  uint32_t region;  // RegionId + 1 of the region it serves, 0: none. For people and invariants
  uint32_t page;    // page within the region, for people and invariants
};
static_assert(sizeof(PageInfo) == 16);

}  // namespace spmc
