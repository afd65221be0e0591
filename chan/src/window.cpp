#include <chan/window.hpp>

namespace chan {

bool SlabWindow::grow() {
  if (slabs_.size() >= limit_) return false;
  auto run = pool_->try_alloc_run(step_ * slab_pages_);
  if (!run) return false;
  // The new slabs come next: they are certainly free.
  const auto at = slabs_.begin() + static_cast<ptrdiff_t>(next_);
  std::vector<spmc::EPageIndex> fresh(step_);
  for (uint32_t i = 0; i < step_; ++i) {
    fresh[i] = {run.value().value + i * slab_pages_};
    release(fresh[i]);
  }
  slabs_.insert(at, fresh.begin(), fresh.end());
  return true;
}

}  // namespace chan
