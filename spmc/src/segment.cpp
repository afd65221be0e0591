// The shared segment: see layout.hpp for its drawing.
#include <spmc/segment.hpp>

#include <base/check.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace spmc {

// The size of a region's record in the table; its layout belongs to region_table.hpp.
inline constexpr size_t kRegionSlotBytes = 256;

namespace {

struct Attached {
  base::UniqueFd fd;
  base::Mapping mapping;
};
// Null: none. Not destroyed at exit: handlers of signals look into the segment until the process has ended.
Attached* g_attached = nullptr;

uint64_t page_aligned(uint64_t bytes) { return (bytes + kPageSize - 1) & ~uint64_t{kPageSize - 1}; }

// Computes where everything lies. Error EINVAL for numbers out of range.
base::Status plan(const SegmentConfig& config, Header& h) {
  const uint64_t half = std::min(base::physical_memory_bytes() / 2, size_t{kMaxFrames} << kPageShift);
  const uint64_t bytes = config.frame_bytes != 0 ? config.frame_bytes : half;
  const uint64_t frames = (bytes >> kPageShift) / kFramesPerChunk * kFramesPerChunk;
  if (frames == 0 || frames > kMaxFrames) return base::Error{EINVAL, "segment: frame memory out of range"};
  if (config.max_spaces == 0 || config.max_spaces > (1u << 20)) {
    return base::Error{EINVAL, "segment: number of spaces out of range"};
  }
  if (config.vpages == 0 || config.vpages > (1u << 28) || config.max_regions > (1u << 24)) {
    return base::Error{EINVAL, "segment: number of pages or regions out of range"};
  }
  h.magic = kMagic;
  h.version = kVersion;
  h.max_spaces = config.max_spaces;
  h.max_regions = config.max_regions;
  h.frames = static_cast<uint32_t>(frames);
  h.vpages = config.vpages;
  uint64_t at = sizeof(Header);
  const auto place = [&at](uint64_t size) {
    const uint64_t offset = at;
    at += page_aligned(size);
    return offset;
  };
  h.spaces_offset = place(uint64_t{config.max_spaces} * sizeof(SpaceSlot));
  h.regions_offset = place(uint64_t{config.max_regions} * kRegionSlotBytes);
  h.pageinfo_offset = place(frames * sizeof(PageInfo));
  h.chunks_offset = place(frames / kFramesPerChunk * sizeof(uint32_t));
  h.eptabs_offset = place(uint64_t{config.max_spaces} * config.vpages * sizeof(uint32_t));
  h.frames_offset = place(frames * kPageSize);
  h.segment_bytes = at;
  return {};
}

base::Status map_segment(base::UniqueFd fd, size_t size) {
  auto mapping = base::Mapping::try_shared_at(reinterpret_cast<void*>(kSegmentAddress), size, fd.get());
  if (!mapping) return mapping.error();
  g_attached = new Attached{std::move(fd), std::move(mapping).value()};
  return {};
}

}  // namespace

namespace segment {

base::Status try_create(const SegmentConfig& config) {
  if (attached()) return base::Error{EEXIST, "segment: this process has one already"};
  Header planned{};
  DL_TRY_STATUS(plan(config, planned));
  auto fd = base::create_shared_file("dlinux-segment", planned.segment_bytes);
  if (!fd) return fd.error();
  DL_TRY_STATUS(map_segment(std::move(fd).value(), planned.segment_bytes));
  Header& h = header();
  // Nobody else has the segment yet, so plain bytes will do; the atomic counters are zero in both.
  std::memcpy(static_cast<void*>(&h), &planned, offsetof(Header, fences));
  h.fences = base::fences_for(config.busy_spaces);
  base::g_fences = h.fences;
  base::register_for_fences();
  // Frame 0 stands for "none": its chunk belongs to nobody who allocates.
  chunk_owner(0).store(~0u, std::memory_order_relaxed);
  return {};
}

base::Status try_attach(base::UniqueFd fd) {
  if (attached()) return base::Error{EEXIST, "segment: this process has one already"};
  const size_t size = DL_TRY(base::file_size(fd.get()));
  if (size < sizeof(Header)) return base::Error{EINVAL, "segment: the descriptor is no segment"};
  DL_TRY_STATUS(map_segment(std::move(fd), size));
  const Header& h = header();
  if (h.magic != kMagic || h.version != kVersion || h.segment_bytes != size) {
    detach();
    return base::Error{EINVAL, "segment: wrong magic, version or size"};
  }
  base::g_fences = h.fences;
  base::register_for_fences();
  return {};
}

void detach() {
  delete g_attached;
  g_attached = nullptr;
}

bool attached() { return g_attached != nullptr; }
int descriptor() { return g_attached == nullptr ? -1 : g_attached->fd.get(); }

}  // namespace segment
}  // namespace spmc
