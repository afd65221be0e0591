#include "board_store.hpp"

#include "../engine/engine.hpp"
#include "../engine/out_of_memory.hpp"
#include "mismatch.hpp"
#include "rounds.hpp"

#include <utility>

namespace detmpi {

struct BoardStore::Retired {
  Comm comm;  // no handle, no error handler
  std::unique_ptr<CommTransport> transport;
};

void BoardStore::Deleter::operator()(Retired* retired) const { delete retired; }

void BoardStore::retire(Comm& comm) {
  Retired& old = *retired_.emplace_back(new Retired);
  old.comm.context = comm.context;
  old.comm.size = comm.size;
  old.comm.peers = comm.peers;
  old.comm.world_rank = std::move(comm.world_rank);
  old.comm.name = std::move(comm.name);
  old.comm.inter = comm.inter;
  old.comm.remote_world_rank = std::move(comm.remote_world_rank);
  old.comm.transport = std::exchange(comm.transport, nullptr);
  old.transport.reset(old.comm.transport);
}

void BoardStore::each_retired(const std::function<void(Comm&)>& visit) {
  for (const auto& old : retired_) visit(old->comm);
}

spmc::EPageIndex BoardStore::take(uint32_t members, size_t area) {
  for (size_t i = 0; i < retired_.size(); ++i) {
    const chan::Board& board = retired_[i]->transport->board;
    const spmc::EPageIndex first = retired_[i]->transport->first;
    if (board.members() != members || board.area() != area || !chan::Board::abandoned(first, members)) continue;
    if (differs_at_end(retired_[i]->comm)) continue;  // to be told at the end of the job
    retired_.erase(retired_.begin() + static_cast<ptrdiff_t>(i));
    chan::Board::blank_again(first, members);
    return first;
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
