// The space's own pages: opening them for access, and moving bytes between them and the frames.
// Async-signal-safe.
#pragma once

#include "view.hpp"

namespace spmc {

// Pages that one fault makes accessible at most.
inline constexpr uint32_t kConsumerRun = 64;
inline constexpr uint32_t kProducerRun = 16;
// Each run of open pages is a mapping of the process, of which the system allows so many.
inline constexpr char kMappingLimit[] = "the limit on mappings (sysctl vm.max_map_count)";

bool is_fixed(const View& view, uint32_t page);

// Producer: gives write access to `page` and, up to `most` pages in all, to those behind it that are as
// untouched. The page is not fixed and has no access. From now on the vpage is the master copy. False, and nothing has
// changed: the system refuses; the frame remains the master copy.
bool open_writable(View& view, uint32_t page, uint32_t most);

// Gives read access to `page`, which is fixed, and to fixed pages behind it, up to `most` pages in all.
// False as above.
bool open_readable(View& view, uint32_t page, uint32_t most);

// Producer: brings bytes [published, end) of the frame up to date: from the vpage if that is the master copy,
// else with zeros where nothing was written. Then they may be published.
void complete_frame(const View& view, uint32_t page, EPageIndex frame, uint32_t end);

// Producer: puts bytes at `offset` of a page, into the master copy. The frame is there; nothing is published
// beyond.
void put_bytes(const View& view, uint32_t page, EPageIndex frame, uint32_t offset, const std::byte* from, size_t size);

// Takes write access from the pages [first, last) that have it: they become readable, or closed.
void end_writing(const View& view, uint32_t first, uint32_t last, Access then);

}  // namespace spmc
