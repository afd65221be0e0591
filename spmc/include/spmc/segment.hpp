// The segment of this job: creating, attaching, and finding things in it. One per process.
#pragma once

#include <base/mapping.hpp>
#include <base/result.hpp>
#include <base/unique_fd.hpp>
#include <spmc/layout.hpp>

namespace spmc {

struct SegmentConfig {
  uint32_t max_spaces = 64;
  uint32_t max_regions = 4096;
  uint32_t vpages = 1u << 16;  // SPMC-VM of 256 MiB per space
  uint64_t frame_bytes = 0;    // memory for frames; 0: half of the machine's memory, 1 TiB at most
  uint32_t busy_spaces = 1;    // that will work at the same time, as far as is known: how they wake each other
};

namespace segment {

// Makes the segment and maps it. Error EEXIST when this process has one already.
base::Status try_create(const SegmentConfig& config);
// Maps the segment that another process made, from its descriptor, after checking magic, version and size.
base::Status try_attach(base::UniqueFd fd);
// Unmaps it and closes the descriptor. The memory is gone when the last process has done so or has ended.
void detach();

bool attached();
int descriptor();  // for handing on by exec; close-on-exec is set

// The segment is always at the same address, so these are constants plus offsets.
inline Header& header() { return *reinterpret_cast<Header*>(kSegmentAddress); }
template <typename T>
inline T* at(uint64_t offset) {
  return reinterpret_cast<T*>(kSegmentAddress + offset);
}
inline SpaceSlot& space_slot(SpaceId id) { return at<SpaceSlot>(header().spaces_offset)[id.value]; }
inline PageInfo& pageinfo(EPageIndex frame) { return at<PageInfo>(header().pageinfo_offset)[frame.value]; }
inline std::byte* frame(EPageIndex index) {
  return at<std::byte>(header().frames_offset) + (size_t{index.value} << kPageShift);
}
inline std::atomic<uint32_t>& chunk_owner(uint32_t chunk) {
  return at<std::atomic<uint32_t>>(header().chunks_offset)[chunk];
}
inline uint32_t chunk_count() { return header().frames / kFramesPerChunk; }
// Those that ever had an owner are below; what a space owned when it died is.
inline uint32_t chunks_seen() { return header().chunks_seen.load(std::memory_order_acquire); }

}  // namespace segment
}  // namespace spmc
