#include "board_store.hpp"

#include <base/check.hpp>

#include "../engine/engine.hpp"

namespace detmpi {

spmc::EPageIndex BoardStore::take(uint32_t members, size_t area) {
  for (size_t i = 0; i < retired_.size(); ++i) {
    const Retired old = retired_[i];
    if (old.members != members || old.area != area || !chan::Board::abandoned(old.first, members)) continue;
    retired_.erase(retired_.begin() + static_cast<ptrdiff_t>(i));
    chan::Board::blank(old.first, members);
    return old.first;
  }
  auto run = g_engine.frames().try_alloc_run(chan::Board::frames_needed(members, area));
  CHECK(run.ok(), "no memory for a communicator of %u ranks: %s", members, run.error().what);
  chan::Board::blank(run.value(), members);
  return run.value();
}

}  // namespace detmpi
