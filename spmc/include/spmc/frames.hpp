// The frames of one space. A FramePool lives in private memory; what it owns is written in the segment's chunk table,
// so that a parent can take over the frames of a dead child. There is no lock: a space may be killed anywhere in here.
#pragma once

#include <vector>

#include <base/result.hpp>
#include <spmc/layout.hpp>

namespace spmc {

class FramePool {
 public:
  explicit FramePool(SpaceId owner) : owner_(owner) {}

  // A frame of this space, first-in first-out over the frames it owns; claims new chunks when none is free.
  // The content is whatever was there. Error ENOMEM when all frames of the segment are in use, or no private memory is
  // left.
  // `region` (RegionId + 1, or 0) and `page` are in its PageInfo before it counts as held, so that a frame whose space
  // dies before linking it anywhere can be told from others (reap.cpp).
  base::Result<EPageIndex> try_alloc(uint32_t region = 0, uint32_t page = 0);
  // `count` frames that lie one behind the other (whole chunks are claimed for it).
  base::Result<EPageIndex> try_alloc_run(uint32_t count);
  // Gives a frame or run back. Any space may do so once it has proof that nobody uses it.
  static void free(EPageIndex first, uint32_t count = 1);

  // Gives wholly free chunks back to the system beyond `keep` chunks: their memory and their ownership.
  void trim(size_t keep_chunks);

  size_t chunks() const { return chunks_.size(); }
  size_t frames_held() const;
  // Takes over a chunk that this space has just become the owner of. Without memory to note it in, it is not used.
  void adopt(uint32_t chunk);

 private:
  SpaceId owner_;
  std::vector<uint32_t> chunks_;  // for single frames
  std::vector<uint32_t> run_chunks_;
  size_t cursor_ = 0;         // next frame to look at, counted over chunks_
  uint32_t search_from_ = 0;  // where the last claim ended
};

// For the parent of a dead space: frees every chunk that `dead` owned whose frames nobody uses, and makes `heir`
// the owner of the others (they become free one by one).
void inherit_frames(SpaceId dead, SpaceId heir, FramePool& heirs_pool);
size_t frames_in_use();  // over all spaces; exact when nothing runs

}  // namespace spmc
