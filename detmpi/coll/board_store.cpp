#include "board_store.hpp"

#include "../engine/engine.hpp"
#include "../engine/out_of_memory.hpp"

namespace detmpi {

spmc::EPageIndex BoardStore::take(uint32_t members, size_t area) {
  for (size_t i = 0; i < retired_.size(); ++i) {
    const Retired old = retired_[i];
    if (old.members != members || old.area != area || !chan::Board::abandoned(old.first, members)) continue;
    retired_.erase(retired_.begin() + static_cast<ptrdiff_t>(i));
    chan::Board::blank_again(old.first, members);
    return old.first;
  }
  auto run = g_engine.frames().try_alloc_run(chan::Board::frames_needed(members, area));
  if (!run) end_out_of_memory("a communicator of " + std::to_string(members) + " ranks");
  chan::Board::blank(run.value(), members);
  return run.value();
}

spmc::EPageIndex take_log_frame() {
  auto frame = g_engine.frames().try_alloc();
  if (!frame) end_out_of_memory("the log of collective operations");
  return frame.value();
}

}  // namespace detmpi
