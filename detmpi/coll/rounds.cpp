#include "rounds.hpp"

#include <base/wait.hpp>

#include <algorithm>

#include "../engine/events.hpp"
#include "../engine/p2p.hpp"
#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "mismatch.hpp"

namespace detmpi {
namespace {

// What is read of a member that is in another operation.
alignas(64) std::byte g_zeros[chan::Board::kLargestArea];

// Instead of the hash of its operations: a member that has found out that others differ, and publishes zeros.
constexpr uint64_t kBroken = 1;

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
  uint64_t free_at = 0;
  if (!board_.writable(room, &free_at)) [[unlikely]] {
    note();
    board_.head().waiting.fetch_add(1, std::memory_order_relaxed);
    const auto finished = [this](uint32_t member) { return &board_.done(member).rounds; };
    wait_for([this] { return board_.slowest_member(); }, finished, board_.needed(room),
             [&] { return board_.writable(room, &free_at); });
    board_.head().waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  if (free_at != 0) g_clock = std::max(g_clock, free_at + g_job->lookahead);
  if (board_.differed()) [[unlikely]] {
    note();
    mismatch(g_clock);
    broken_ = true;
    board_.hide_operations();
  }
  auto* place = const_cast<std::byte*>(data(me(), room));
  publishes(place, bytes);
  return place;
}

// Blocks until `ready`, which needs that the word of a member, the one that `whom` names, reaches `value`.
template <typename Whom, typename Word, typename Ready>
void Rounds::wait_for(Whom&& whom, Word&& word, uint64_t value, Ready&& ready) {
  chan::match::Need need;
  need.kind = chan::match::Need::Kind::kMarks;
  need.time = g_clock;
  need.sources.resize(1);
  const Wait wait{.marks = &need, .comm = &comm_};
  g_engine.block(wait, Engine::kNoLane, [&] {
    if (ready()) return true;
    const uint32_t member = whom();
    const int rank = comm_.world_rank[member];
    if (need.sources[0].rank != rank || need.sources[0].value != value) {
      need.sources[0] = {rank, place_of(*word(member)), value};
      g_engine.note_change();
    }
    return false;
  });
  g_engine.announce_if_due();
}

// A later action of the same operation is later than what others may know of the clock by then.
void Rounds::publish(int to) {
  g_clock += 1;
  if (g_log_events) [[unlikely]]
    note_entry();
  board_.publish(g_clock, broken_ ? kBroken : board_.history());
  if (to == kEverybody) notify_all(comm_);
  else notify(static_cast<uint32_t>(to));
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

// Until the member has published, or is seen to be in another operation. Its log is looked at once spinning was in
// vain, since a look costs that member time; from then on it wakes this one when it begins something.
bool Rounds::wait_for_place(uint32_t member) {
  constexpr uint32_t kYields = 8;
  static_assert(kYields <= spmc::base::kFewYields);  // so that there is a look before this member sleeps
  const uint64_t in_vain = spmc::base::g_wait_counters.yields + std::min(kYields, spmc::base::g_wait_policy.yields);
  const auto entry = [this](uint32_t m) { return &board_.place(board_.round(), m).round; };
  auto& waiting = board_.head().waiting;
  bool looks = false;
  note();
  wait_for([member] { return member; }, entry, board_.round() + 1,
           [&] {
             if (board_.published(member)) return true;
             if (code_ != MPI_SUCCESS || spmc::base::g_wait_counters.yields < in_vain) return false;
             if (!looks) waiting.fetch_add(1, std::memory_order_relaxed);
             looks = true;
             return begun_differently(comm_, member).has_value();
           });
  if (looks) waiting.fetch_sub(1, std::memory_order_relaxed);
  return board_.published(member);
}

// Waits for it.
bool Rounds::enters(uint32_t member) {
  if (broken_) [[unlikely]]
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
  leader_ = member;
  leader_bytes_ = here;
  (void)enters(member);
  return leader_bytes_;
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

// The members of a communicator must call the same collective operations in the same order. What this one does now must
// not depend on whether the other one has published something or is seen to be elsewhere.
bool Rounds::differs(uint32_t member) {
  note();
  if (board_.published(member)) wait_for_note(comm_, member, board_.place(board_.round(), member).stamp);
  const auto theirs = begun_differently(comm_, member);
  const uint64_t history = board_.place(board_.round(), member).operation;
  if (!theirs && (history == chan::kUnchecked || board_.history() == chan::kUnchecked)) return false;
  if (theirs) g_clock = std::max(g_clock, theirs->stamp + g_job->lookahead);
  const bool can_follow = follows_ && theirs && code_ == MPI_SUCCESS;
  mismatch(g_clock, can_follow ? theirs : std::nullopt);
  const bool leads = member == leader_ || member < me();
  if (theirs && leads) board_.take_operation(Signature(*theirs).compared());
  else if (leads && history != kBroken) board_.take_history(history);
  broken_ = !can_follow || !follow(Signature(*theirs));
  return true;
}

// With another length than its own, this member can go on as the leader does.
bool Rounds::follow(const Signature& leader) {
  if (!leader.same_but_for_bytes(signature_)) return false;
  leader_bytes_ = leader.bytes();
  return true;
}

void Rounds::fail_uneven(uint64_t sent, uint64_t received) {
  broken_ = true;
  code_ = make_error(sent > received ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                     "%lu bytes are sent to each rank where %lu are received from each", sent, received);
}

void Rounds::mismatch(uint64_t until, const std::optional<chan::BoardNote>& theirs) {
  if (code_ == MPI_SUCCESS) code_ = mismatch_error(comm_, until, theirs);
}

void Rounds::await_all(size_t bytes) {
  for (uint32_t member = 0; member < members(); ++member) {
    if (member != me()) await(member, bytes);
  }
  board_.all_entered();
}

void Rounds::finish() {
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
  notify_waiting(comm_);
}

}  // namespace detmpi
