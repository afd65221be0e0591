#include <base/mapping.hpp>
#include <chan/window.hpp>

namespace chan {

bool SlabWindow::grow() {
  auto run = pool_->try_alloc_run(step_ * slab_pages_);
  if (!run) return false;
  // Where the window is to grow all of it will be used soon. Page by page it would take three times as long.
  const size_t bytes = size_t{step_} * slab_pages_ << spmc::kPageShift;
  if (soon_ > step_) spmc::base::bring_in(spmc::segment::frame(run.value()), bytes);
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
