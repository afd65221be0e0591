#include "rounds.hpp"

#include <algorithm>

#include "../object/call.hpp"

namespace detmpi {

void Rounds::notify(uint32_t member) const {
  const int world = comm_.world_rank[member];
  wake_rank(world);
}

void Rounds::notify_all() const {
  spmc::base::light_fence();
  for (const int world : comm_.world_rank) {
    auto& line = spmc::segment::space_slot(space_of_rank(world)).wait;
    if (line.sleeping.load(std::memory_order_relaxed) && world != g_engine.rank()) spmc::base::wake_sleeper(line);
  }
}

std::byte* Rounds::prepare(size_t bytes) {
  if (!board_.writable()) [[unlikely]] {
    board_.head().waiting.fetch_add(1, std::memory_order_relaxed);
    g_engine.block(Engine::kNoLane, nullptr, [this] { return board_.writable(); });
    board_.head().waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  return const_cast<std::byte*>(data(me(), bytes));
}

void Rounds::publish(int to) {
  board_.publish(g_clock);
  if (to == kEverybody) notify_all();
  else notify(static_cast<uint32_t>(to));
}

const std::byte* Rounds::await(uint32_t member, size_t bytes) {
  if (!board_.published(member)) {
    g_engine.block(Engine::kNoLane, nullptr, [&] { return board_.published(member); });
  }
  g_clock = std::max(g_clock, board_.place(board_.round(), member).stamp + g_job->lookahead);
  return data(member, bytes);
}

void Rounds::await_all(size_t bytes) {
  for (uint32_t member = 0; member < members(); ++member) {
    if (member != me()) await(member, bytes);
  }
  board_.all_entered();
}

void Rounds::finish() {
  board_.finish();
  spmc::base::light_fence();
  if (board_.head().waiting.load(std::memory_order_relaxed) != 0) [[unlikely]]
    notify_all();
}

}  // namespace detmpi
