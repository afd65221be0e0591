#include "board_store.hpp"

#include "../engine/engine.hpp"
#include "../engine/out_of_memory.hpp"
#include "mismatch.hpp"

#include <utility>

namespace detmpi {

void BoardStore::retire(Comm& comm) {
  Retired& old = retired_.emplace_back();
  old.transport = std::move(*comm.transport);
  delete std::exchange(comm.transport, nullptr);
  old.comm.context = comm.context;
  old.comm.size = comm.size;
  old.comm.peers = comm.peers;
  old.comm.world_rank = std::move(comm.world_rank);
  old.comm.name = std::move(comm.name);
  old.comm.inter = comm.inter;
  old.comm.remote_world_rank = std::move(comm.remote_world_rank);
  old.comm.transport = &old.transport;
}

spmc::EPageIndex BoardStore::take(uint32_t members, chan::BoardAreas areas) {
  for (auto old = retired_.begin(); old != retired_.end(); ++old) {
    const chan::Board& board = old->transport.board;
    const spmc::EPageIndex first = old->transport.first;
    if (board.members() != members || board.areas() != areas || !chan::Board::abandoned(first, members)) continue;
    if (differs_at_end(old->comm)) continue;  // to be told at the end of the job
    retired_.erase(old);
    chan::Board::blank_again(first, members);
    return first;
  }
  auto run = g_engine.frames().try_alloc_run(chan::Board::frames_needed(members, areas));
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
