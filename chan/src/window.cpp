#include <chan/window.hpp>

namespace chan {

// Frames for `step` more slabs, or for fewer if memory is short.
std::vector<spmc::EPageIndex> SlabWindow::more_slabs() {
  std::vector<spmc::EPageIndex> slabs;
  for (uint32_t count = step_;; count /= 2) {
    if (auto run = pool_->try_alloc_run(count * slab_pages_)) {
      for (uint32_t i = 0; i < count; ++i) slabs.push_back({run.value().value + i * slab_pages_});
      return slabs;
    }
    if (count * slab_pages_ <= spmc::kFramesPerChunk) return slabs;  // less is not given
  }
}

bool SlabWindow::grow() {
  if (slabs_.size() >= limit_) return false;
  const std::vector<spmc::EPageIndex> fresh = more_slabs();
  for (const spmc::EPageIndex slab : fresh) release(slab);
  // They come next: they are certainly free.
  slabs_.insert(slabs_.begin() + static_cast<ptrdiff_t>(next_), fresh.begin(), fresh.end());
  return !fresh.empty();
}

}  // namespace chan
