#include "lost.hpp"

#include "../engine/events.hpp"
#include "members.hpp"
#include "mismatch.hpp"
#include "quit.hpp"

namespace detmpi {

bool is_lost(Comm& comm, uint32_t member, uint64_t number) {
  const chan::Board& board = comm.transport->board;
  if (!board.begins(member, number)) return false;
  return board.never_begins(member, number) || begun_differently(comm, member, number);
}

namespace {

bool is_checked(const Comm& comm) {
  const chan::Board& board = comm.transport->board;
  return board.members() > 1 && board.history() != chan::kUnchecked;
}

// A call waits for what was lost as for a message that comes when the member's doing is known.
void lose(Request& receive, Comm& comm, uint32_t sender, uint64_t number) {
  const chan::Board& board = comm.transport->board;
  const auto theirs = begun_differently(comm, sender, number);
  const uint64_t since = theirs ? theirs->stamp : board.done(sender).quit_at;
  g_engine.give_up(receive, since + g_job->lookahead);
}

}  // namespace

void await_or_lose(Request& receive, Comm& comm, uint32_t sender, uint64_t number, CallId operation) {
  if (receive.complete) return;
  if (is_checked(comm) && !receive.matched) {
    chan::Board& board = comm.transport->board;
    Patience patience(board);
    const auto begins = mark_of_begin(comm, sender, number);
    wait_for_mark(
        comm, begins.rank, [&] { return receive.complete || (patience.over() && board.begins(sender, number)); },
        [&] { return begins; }, operation);
    if (!receive.complete && is_lost(comm, sender, number)) return lose(receive, comm, sender, number);
  }
  if (!receive.complete) g_engine.block_until_complete(receive);
}

bool look_whether_lost(Request& receive, Comm& comm, uint32_t sender, uint64_t number) {
  if (receive.complete || receive.matched || !is_checked(comm)) return true;
  if (!comm.transport->board.begins(sender, number)) return false;
  if (is_lost(comm, sender, number)) lose(receive, comm, sender, number);
  return true;
}

chan::match::Need::Source mark_of_begin(const Comm& comm, uint32_t member, uint64_t number) {
  return {world_rank_of(comm, member), place_of(comm.transport->board.log(member).begun), number + 1};
}

void want_to_be_told(Comm& comm, bool yes) {
  if (!is_checked(comm)) return;
  std::atomic<uint32_t>& waiting = comm.transport->board.head().waiting;
  if (yes) waiting.fetch_add(1, std::memory_order_relaxed);
  else waiting.fetch_sub(1, std::memory_order_relaxed);
}

int lost_code(const Request& receive, Comm& comm, uint32_t sender, uint64_t number) {
  g_clock = std::max(g_clock, receive.stamp);
  const chan::Board& board = comm.transport->board;
  const auto mine = board.noted(board.member(), number);
  if (!mine) return quit(comm);
  return quit(comm, sides_of(Signature(*mine), begun_differently(comm, sender, number)));
}

}  // namespace detmpi
