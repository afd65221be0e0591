#include <base/mapping.hpp>
#include <chan/window.hpp>

namespace chan {

// Frames for `step` more slabs, or for fewer if memory is short.
std::vector<spmc::EPageIndex> SlabWindow::more_slabs() {
  std::vector<spmc::EPageIndex> slabs;
  for (uint32_t count = step_;; count /= 2) {
    if (auto run = pool_->try_alloc_run(count * slab_pages_)) {
      const size_t bytes = size_t{count} * slab_pages_ << spmc::kPageShift;
      spmc::base::bring_in(spmc::segment::frame(run.value()), bytes);  // page by page it takes three times as long
      for (uint32_t i = 0; i < count; ++i) slabs.push_back({run.value().value + i * slab_pages_});
      return slabs;
    }
    if (count * slab_pages_ <= spmc::kFramesPerChunk) return slabs;  // less is not given
  }
}

bool SlabWindow::grow() {
  const std::vector<spmc::EPageIndex> fresh = more_slabs();
  for (const spmc::EPageIndex slab : fresh) release(slab);
  // They come next: they are certainly free.
  slabs_.insert(slabs_.begin() + static_cast<ptrdiff_t>(next_), fresh.begin(), fresh.end());
  return !fresh.empty();
}

}  // namespace chan
