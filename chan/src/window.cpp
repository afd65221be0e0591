#include <base/mapping.hpp>
#include <chan/window.hpp>

namespace chan {

bool SlabWindow::grow() {
  auto run = pool_->try_alloc_run(step_ * slab_pages_);
  if (!run) return false;
  const size_t bytes = size_t{step_} * slab_pages_ << spmc::kPageShift;
  spmc::base::bring_in(spmc::segment::frame(run.value()), bytes);  // page by page it takes three times as long
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
