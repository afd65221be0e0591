// Frame allocation without locks: see frames.hpp. Only the owner of a chunk moves its frames from free to held, so an
// allocation is a load and a store; only a claim of chunks uses compare-and-swap.
#include <spmc/frames.hpp>

#include <base/check.hpp>
#include <spmc/segment.hpp>

#include <algorithm>
#include <cerrno>
#include <new>

#include "raise.hpp"

namespace spmc {
namespace {

constexpr uint32_t kNobody = 0;
constexpr auto relaxed = std::memory_order_relaxed;

uint32_t owner_word(SpaceId id) { return id.value + 1; }

EPageIndex first_frame(uint32_t chunk) { return {chunk * kFramesPerChunk}; }

bool try_claim_chunk(uint32_t chunk, SpaceId owner) {
  uint32_t expected = kNobody;
  std::atomic<uint32_t>& word = segment::chunk_owner(chunk);
  if (word.load(relaxed) != kNobody) return false;
  raise_to(segment::header().chunks_seen, chunk + 1);  // before the claim, so that a reaper looks here
  return word.compare_exchange_strong(expected, owner_word(owner), std::memory_order_acq_rel, relaxed);
}

void release_chunk(uint32_t chunk) { segment::chunk_owner(chunk).store(kNobody, std::memory_order_release); }

bool chunk_is_free(uint32_t chunk) {
  for (uint32_t i = 0; i < kFramesPerChunk; ++i) {
    const EPageIndex frame{first_frame(chunk).value + i};
    if (segment::pageinfo(frame).state.load(std::memory_order_acquire) != kFrameFree) return false;
  }
  return true;
}

void give_back_memory(uint32_t chunk) {
  const auto begin = segment::header().frames_offset + (uint64_t{first_frame(chunk).value} << kPageShift);
  // Failure only keeps the memory: nothing depends on the content.
  (void)base::punch_hole(segment::descriptor(), begin, size_t{kFramesPerChunk} << kPageShift);
}

void hold(EPageIndex frame, uint32_t region = 0, uint32_t page = 0) {
  PageInfo& info = segment::pageinfo(frame);
  info.published.store(0, relaxed);
  info.region = region;
  info.page = page;
  info.state.store(kFrameHeld, std::memory_order_release);
}

// Room to note `count` more chunks, before they are claimed.
base::Status try_make_room(std::vector<uint32_t>& list, size_t count) try {
  const size_t needed = list.size() + count;
  if (needed > list.capacity()) list.reserve(std::max(needed, 2 * list.size()));
  return {};
} catch (const std::bad_alloc&) {
  return base::Error{ENOMEM, "no private memory is left to note page frames in"};
}

// The first of `count` adjacent chunks, all claimed now; looks once around from `from`.
base::Result<uint32_t> claim_adjacent(SpaceId owner, uint32_t count, uint32_t from) {
  const uint32_t total = segment::chunk_count();
  uint32_t start = from % total;
  uint32_t got = 0;
  for (uint32_t seen = 0; seen < total + count; ++seen) {
    const uint32_t chunk = start + got;
    if (chunk < total && try_claim_chunk(chunk, owner)) {
      if (++got == count) return start;
      continue;
    }
    while (got > 0) release_chunk(start + --got);
    start = chunk + 1 >= total ? 0 : chunk + 1;
  }
  while (got > 0) release_chunk(start + --got);
  return base::Error{ENOMEM, "no shared page frames are left (raise the segment's frame memory)"};
}

}  // namespace

base::Result<EPageIndex> FramePool::try_alloc(uint32_t region, uint32_t page) {
  const size_t owned = chunks_.size() * kFramesPerChunk;
  for (size_t looked = 0; looked < owned; ++looked) {
    const size_t at = cursor_;
    cursor_ = cursor_ + 1 == owned ? 0 : cursor_ + 1;
    const EPageIndex frame{first_frame(chunks_[at / kFramesPerChunk]).value +
                           static_cast<uint32_t>(at % kFramesPerChunk)};
    if (segment::pageinfo(frame).state.load(std::memory_order_acquire) != kFrameFree) continue;
    hold(frame, region, page);
    return frame;
  }
  // Grow by a quarter, so that the cost of the scans above stays constant per frame.
  const auto wanted = std::max<size_t>(1, chunks_.size() / 4);
  DL_TRY_STATUS(try_make_room(chunks_, wanted));
  for (size_t i = 0; i < wanted; ++i) {
    auto chunk = claim_adjacent(owner_, 1, search_from_);
    if (!chunk) {
      if (i == 0) return chunk.error();
      break;
    }
    if (i == 0) cursor_ = chunks_.size() * kFramesPerChunk;
    chunks_.push_back(chunk.value());
    search_from_ = chunk.value() + 1;
  }
  const EPageIndex frame = first_frame(chunks_[cursor_ / kFramesPerChunk]);
  cursor_ += 1;
  hold(frame, region, page);
  return frame;
}

base::Result<EPageIndex> FramePool::try_alloc_run(uint32_t count) {
  const uint32_t wanted = (count + kFramesPerChunk - 1) / kFramesPerChunk;
  if (count == 0 || wanted >= segment::chunk_count()) return base::Error{EINVAL, "run of frames: bad length"};
  DL_TRY_STATUS(try_make_room(run_chunks_, wanted));
  auto start = claim_adjacent(owner_, wanted, search_from_);
  if (!start) return start.error();
  search_from_ = start.value() + wanted;
  for (uint32_t i = 0; i < wanted; ++i) run_chunks_.push_back(start.value() + i);
  for (uint32_t i = 0; i < count; ++i) hold({first_frame(start.value()).value + i});
  return first_frame(start.value());
}

void FramePool::free(EPageIndex first, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    PageInfo& info = segment::pageinfo({first.value + i});
    CHECK(info.state.load(relaxed) == kFrameHeld, "frame %u is freed twice", first.value + i);
    info.state.store(kFrameFree, std::memory_order_release);
  }
}

void FramePool::trim(size_t keep_chunks) {
  const auto give_back = [](uint32_t chunk) {
    give_back_memory(chunk);
    release_chunk(chunk);
  };
  const auto trim_list = [&](std::vector<uint32_t>& list, size_t keep) {
    for (size_t i = list.size(); i-- > 0 && list.size() > keep;) {
      if (!chunk_is_free(list[i])) continue;
      give_back(list[i]);
      list.erase(list.begin() + static_cast<ptrdiff_t>(i));
    }
  };
  trim_list(chunks_, keep_chunks);
  trim_list(run_chunks_, 0);
  cursor_ = 0;
}

size_t FramePool::frames_held() const {
  size_t held = 0;
  for (const auto* list : {&chunks_, &run_chunks_}) {
    for (const uint32_t chunk : *list) {
      for (uint32_t i = 0; i < kFramesPerChunk; ++i) {
        held += segment::pageinfo({first_frame(chunk).value + i}).state.load(relaxed) == kFrameHeld;
      }
    }
  }
  return held;
}

void FramePool::adopt(uint32_t chunk) {
  if (try_make_room(chunks_, 1).ok()) chunks_.push_back(chunk);
}

void inherit_frames(SpaceId dead, SpaceId heir, FramePool& heirs_pool) {
  for (uint32_t chunk = 0; chunk < segment::chunks_seen(); ++chunk) {
    std::atomic<uint32_t>& word = segment::chunk_owner(chunk);
    if (word.load(relaxed) != owner_word(dead)) continue;
    if (chunk_is_free(chunk)) {
      give_back_memory(chunk);
      release_chunk(chunk);
    } else {
      word.store(owner_word(heir), relaxed);
      heirs_pool.adopt(chunk);
    }
  }
}

size_t frames_in_use() {
  size_t held = 0;
  for (uint32_t chunk = 1; chunk < segment::chunks_seen(); ++chunk) {
    if (segment::chunk_owner(chunk).load(relaxed) == kNobody) continue;
    for (uint32_t i = 0; i < kFramesPerChunk; ++i) {
      held += segment::pageinfo({first_frame(chunk).value + i}).state.load(relaxed) == kFrameHeld;
    }
  }
  return held;
}

}  // namespace spmc
