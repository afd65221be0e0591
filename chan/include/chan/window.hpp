// The window of a producer: the frames through which it passes large messages, in slabs of a few pages, to whichever
// consumer. A slab is taken by the producer, filled, named in a lane's record, copied out by the consumer and freed by
// it with one store. Slabs are taken in the order in which they were taken before (first in, first out), not warmest
// first: a line that has left the consumer's and the producer's private caches for the shared one is the fastest to
// move (DESIGN section 9).
#pragma once

#include <algorithm>
#include <vector>

#include <base/sys.hpp>
#include <spmc/frames.hpp>
#include <spmc/segment.hpp>

namespace chan {

class SlabWindow {
 public:
  // `slab_pages` frames per slab. The window grows by `step` slabs if there is memory: when all are in use, up to
  // `limit` slabs, and each fourth time that all have been taken in turn, up to `soon`. So who sends little has few
  // pages made, and who sends much soon has as many slabs as are fast.
  SlabWindow(spmc::FramePool& pool, uint32_t slab_pages, uint32_t step, uint32_t soon, uint32_t limit)
      : pool_(&pool), slab_pages_(slab_pages), step_(step), soon_(soon), limit_(limit) {}

  size_t slab_bytes() const { return size_t{slab_pages_} << spmc::kPageShift; }

  // A slab of the caller's, or none while all are in use and there can be no more. The state of its first frame stands
  // for the slab's.
  spmc::EPageIndex try_take() {
    if (next_ == 0 && slabs_.size() < soon_ && passes_++ % kPassesPerStep == 0) [[unlikely]]
      grow();
    const spmc::EPageIndex slab = find_free();
    if (!slab.none()) [[likely]]
      return slab;
    return slabs_.size() < limit_ && grow() ? find_free() : slab;
  }

  // Asks for the lines of the first `bytes` of the slab that is taken next, if it is free, so that they are here when
  // it is written; not for more than a first-level cache has room for beside the program's data. A stale state only
  // leaves that out: nobody but the producer takes a slab that is free.
  void fetch_next(size_t bytes) const {
    constexpr size_t kMost = 8192;
    const spmc::EPageIndex slab = slabs_[next_];
    if (spmc::segment::pageinfo(slab).state.load(std::memory_order_relaxed) != spmc::kFrameFree) return;
    spmc::base::prefetch_to_write(spmc::segment::frame(slab), std::min(bytes, kMost));
  }

  // Consumer's side: the content has been copied out.
  static void release(spmc::EPageIndex slab) {
    spmc::segment::pageinfo(slab).state.store(spmc::kFrameFree, std::memory_order_release);
  }

 private:
  static constexpr uint32_t kPassesPerStep = 4;  // to make a slab takes as long as a message or two
  // Who has found none asks again and again; to look at all each time would take their lines from the consumers.
  static constexpr size_t kLooksWhenFull = 8;
  spmc::EPageIndex find_free() {
    const size_t most = full_ ? std::min(kLooksWhenFull, slabs_.size()) : slabs_.size();
    for (size_t looked = 0; looked < most; ++looked) {
      const spmc::EPageIndex slab = slabs_[next_];
      next_ = next_ + 1 == slabs_.size() ? 0 : next_ + 1;
      spmc::PageInfo& info = spmc::segment::pageinfo(slab);
      if (info.state.load(std::memory_order_acquire) != spmc::kFrameFree) continue;
      info.state.store(spmc::kFrameHeld, std::memory_order_relaxed);
      __builtin_prefetch(&spmc::segment::pageinfo(slabs_[next_]));
      full_ = false;
      return slab;
    }
    full_ = true;
    return {};
  }
  // False when the segment has no frames left.
  bool grow();

  spmc::FramePool* pool_;
  uint32_t slab_pages_;
  uint32_t step_;
  uint32_t soon_;
  uint32_t limit_;
  size_t next_ = 0;
  uint32_t passes_ = 0;
  bool full_ = false;  // none was free at the last look
  std::vector<spmc::EPageIndex> slabs_;
};

}  // namespace chan
