#include "rounds.hpp"

#include <base/wait.hpp>

#include <algorithm>

#include "../engine/events.hpp"
#include "../engine/p2p.hpp"
#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "lost.hpp"
#include "mismatch.hpp"
#include "quit.hpp"

namespace detmpi {
namespace {

// What is read of others by a member that has quit, and what it writes.
alignas(64) std::byte g_zeros[chan::Board::kLargestArea];
alignas(64) std::byte g_nowhere[chan::Board::kLargestArea];

}  // namespace

void Rounds::notify(uint32_t member) const {
  const int world = comm_.world_rank[member];
  wake_rank(world);
}

void notify_all(const Comm& comm) {
  spmc::base::light_fence();
  const auto wake = [](int world) {
    auto& line = spmc::segment::space_slot(space_of_rank(world)).wait;
    if (line.sleeping.load(std::memory_order_relaxed) && world != g_engine.rank()) spmc::base::wake_sleeper(line);
  };
  std::ranges::for_each(comm.world_rank, wake);
  std::ranges::for_each(comm.remote_world_rank, wake);
}

std::byte* Rounds::prepare(size_t room, size_t bytes) {
  if (out_) [[unlikely]]
    return g_nowhere;
  uint64_t free_at = 0;
  if (!board_.writable(room, &free_at)) [[unlikely]] {
    note();
    board_.head().waiting.fetch_add(1, std::memory_order_relaxed);
    const auto slowest = [&] {
      const uint32_t member = board_.slowest_member();
      return Mark{member, &board_.done(member).rounds, board_.needed(room)};
    };
    wait_for(slowest, [&] { return board_.writable(room, &free_at); });
    board_.head().waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  if (free_at != 0) g_clock = std::max(g_clock, free_at + g_job->lookahead);
  if (board_.differed()) [[unlikely]] {
    note();
    leave_with(quit(comm_));
    return g_nowhere;
  }
  std::byte* const place = board_.own_data(room);
  room_ = room;
  publishes(place, bytes);
  return place;
}

// Blocks until `ready`, which needs what `what` says: then that the word of a member reaches a value.
template <typename What, typename Ready>
void Rounds::wait_for(What&& what, Ready&& ready) {
  wait_for_mark(comm_, Engine::kNoLane, ready, [&] {
    const Mark mark = what();
    return chan::match::Need::Source{comm_.world_rank[mark.member], place_of(*mark.word), mark.value};
  });
}

// A later action of the same operation is later than what others may know of the clock by then.
void Rounds::publish(int to) {
  if (out_) [[unlikely]]
    return;
  g_clock += 1;
  if (g_log_events) [[unlikely]]
    note_entry();
  board_.publish(g_clock, board_.history());
  told_all_ = to == kEverybody;
  if (to < 0) notify_all(comm_);
  else notify(static_cast<uint32_t>(to));
  if (g_job->lines.fetched > 0) board_.fetch_next(room_);
  note();
}

void Rounds::write_note() {
  due_ = false;
  board_.note(signature_.note(begun_));
  notify_waiting(comm_);
}

void Rounds::note_entry() {
  Event event{.kind = EventKind::kEnter, .bytes = bytes_, .context = collective_context(comm_)};
  event.content = hash_bytes(data_, bytes_);
  log_act(event);
}

// Where all wait for all, the ranks of a core come here one after the other. The last one need not give the core away:
// nobody on it goes on before the ranks of other cores are here, and they mostly are soon. So it waits for them for
// about as long as a turn takes, and then begins the next operation itself. True if the member has published. A stale
// look only costs another one.
bool Rounds::meet(uint32_t member) const {
  constexpr uint32_t kLeastLooks = 32, kMostLooks = 128;
  static uint32_t most_looks = kMostLooks;  // fewer after looks in vain
  if (!told_all_ || !g_engine.takes_turns() || members() != g_job->ranks) return false;
  for (uint32_t i = 0; i < members(); ++i) {
    if (i != me() && g_engine.shares_core(comm_.world_rank[i]) && !board_.published(i)) return false;
  }
  for (uint32_t looks = 0; looks < most_looks; ++looks) {
    spmc::base::cpu_relax();
    if (!board_.published(member)) continue;
    most_looks = std::min(2 * most_looks, kMostLooks);
    return true;
  }
  most_looks = std::max(most_looks / 2, kLeastLooks);
  return false;
}

// Until the member has published, or is seen to be in another operation, or to have quit. Its log is looked at once
// spinning was in vain, since a look costs that member time, and before others are told what is waited for; from then
// on it wakes this one when it begins something.
bool Rounds::wait_for_place(uint32_t member) {
  if (meet(member)) return true;
  note();
  Patience patience(board_);
  const bool checked = board_.history() != chan::kUnchecked;
  const bool followed = follows_ && code_ != MPI_SUCCESS;  // then the logs differ, and that is known
  const uint64_t number = board_.begun() - 1, round = board_.round();
  const auto begins = [&] { return !patience.over() || board_.begins(member, number); };
  const auto what = [&] {
    // That of the round alone: one that the member passes over is not seen in how many it has published, nor unchecked
    // in what it has begun.
    if (!checked) return Mark{member, &board_.place(round, member).round, round + 1};
    if (!begins()) return Mark{member, &board_.log(member).begun, number + 1};
    return Mark{member, &board_.log(member).published, round + 1};
  };
  wait_for(what, [&] {
    if (board_.published(member)) return true;
    return patience.over() && checked && (board_.has_quit(member) || (!followed && is_lost(comm_, member, number)));
  });
  return board_.published(member);
}

// Waits for it.
bool Rounds::enters(uint32_t member) {
  if (out_) [[unlikely]]
    return false;
  const bool is_there = board_.published(member) || wait_for_place(member);
  const chan::BoardPlace& place = board_.place(board_.round(), member);
  if (!is_there || place.operation != board_.history()) [[unlikely]] {
    if (differs(member)) return false;
  }
  g_clock = std::max(g_clock, place.stamp + g_job->lookahead);
  return true;
}

size_t Rounds::bytes_at(uint32_t member, size_t here) {
  follows_ = true;
  leader_bytes_ = here;
  (void)enters(member);
  return leader_bytes_;
}

// Until the member has published, or it is known that it will not. A wait like others: this member goes on as late.
void Rounds::outlast(uint32_t member) {
  if (!board_.published(member)) (void)wait_for_place(member);
  g_clock = std::max(g_clock, seen_of(member).since + g_job->lookahead);
}

const std::byte* Rounds::await(uint32_t member, size_t room, size_t bytes) {
  if (!enters(member)) return g_zeros;
  const std::byte* found = data(member, room);
  has_read(found, bytes);
  return found;
}

void Rounds::has_read(const void* data, size_t bytes) {
  if (g_log_events) [[unlikely]]
    told_ = hash_bytes(data, bytes, told_);
}

// What there is to know of a member that has published, or is lost. It does not depend on which of both was seen first.
Rounds::Seen Rounds::seen_of(uint32_t member) {
  const chan::BoardPlace& place = board_.place(board_.round(), member);
  Seen seen;
  seen.published = board_.published(member);
  if (seen.published) wait_for_note(comm_, member, place.stamp);
  seen.theirs = begun_differently(comm_, member, board_.begun() - 1);
  if (seen.published && seen.theirs && seen.theirs->stamp > place.stamp) seen.theirs.reset();  // begun later
  if (follows_ && code_ != MPI_SUCCESS) seen.theirs.reset();                                   // known, and followed
  seen.since = seen.theirs ? seen.theirs->stamp : seen.published ? place.stamp : board_.done(member).quit_at;
  return seen;
}

// The members of a communicator must call the same collective operations in the same order. What this one does now must
// not depend on whether the other one has published something or is seen to be elsewhere.
bool Rounds::differs(uint32_t member) {
  note();
  const auto& [published, theirs, since] = seen_of(member);
  const bool unchecked = board_.place(board_.round(), member).operation == chan::kUnchecked;
  if (!theirs && published && (unchecked || board_.history() == chan::kUnchecked)) return false;
  g_clock = std::max(g_clock, since + g_job->lookahead);
  if (theirs && try_follow(*theirs)) return true;
  leave_with(quit(comm_, sides_of(signature_, theirs)));
  return true;
}

// With another length than its own, this member can go on as the leader does.
bool Rounds::try_follow(const chan::BoardNote& leader) {
  const Signature theirs(leader);
  const bool only_now = chan::Board::after(board_.history_before(), theirs.compared()) == leader.history;
  if (!follows_ || !only_now || !theirs.same_but_for_bytes(signature_)) return false;
  fail(find_mismatch(comm_, g_clock, std::pair(signature_, theirs)).code());
  board_.take_operation(theirs.compared());
  leader_bytes_ = theirs.bytes();
  return true;
}

void Rounds::leave_with(int code) {
  out_ = true;
  code_ = code;
}

void Rounds::stay_out() { leave_with(quit_code(comm_)); }

void Rounds::fail_uneven(uint64_t sent, uint64_t received) {
  if (out_) return;
  note();
  leave_with(quit_uneven(comm_, sent, received));
}

void Rounds::await_all(size_t bytes) {
  for (uint32_t member = 0; member < members(); ++member) {
    if (member != me()) await(member, bytes);
  }
  if (!out_) board_.all_entered();
}

void Rounds::finish() {
  if (out_) [[unlikely]]
    return;
  if (board_.ends_step()) g_clock += 1;  // others may act on it: an action of its own
  if (g_note_events) [[unlikely]] {
    fold_answer({.kind = EventKind::kLeave,
                 .bytes = 1,
                 .time = g_clock,
                 .context = collective_context(comm_),
                 .content = told_});
    told_ = 0;
  }
  board_.finish(g_clock);
  told_all_ = false;
  notify_waiting(comm_);
}

}  // namespace detmpi
