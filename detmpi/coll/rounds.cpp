#include "rounds.hpp"

#include <algorithm>
#include <cstdio>

#include "../engine/events.hpp"
#include "../engine/p2p.hpp"
#include "../object/call.hpp"
#include "../object/hooks.hpp"

namespace detmpi {
namespace {

// BoardPlace::call holds which function is called, and above it what is announced.
constexpr unsigned kCallBits = 16;
constexpr uint64_t kCallMask = (1u << kCallBits) - 1;
static_assert(sizeof(CallId) * 8 == kCallBits);

}  // namespace

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

std::byte* Rounds::prepare(size_t room, size_t bytes) {
  room_ = room;
  bytes_ = bytes;
  uint64_t free_at = 0;
  if (!board_.writable(&free_at)) [[unlikely]] {
    board_.head().waiting.fetch_add(1, std::memory_order_relaxed);
    const auto finished = [this](uint32_t member) { return &board_.done(member).rounds; };
    wait_for([this] { return board_.slowest_member(); }, finished, board_.needed(),
             [&] { return board_.writable(&free_at); });
    board_.head().waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  if (free_at != 0) g_clock = std::max(g_clock, free_at + g_job->lookahead);
  return const_cast<std::byte*>(data(me(), room));
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
  board_.publish(g_clock, static_cast<uint64_t>(g_call.id) | announced_ << kCallBits);
  if (to == kEverybody) notify_all();
  else notify(static_cast<uint32_t>(to));
}

void Rounds::note_entry() {
  Event event{.kind = EventKind::kEnter, .bytes = bytes_, .context = collective_context(comm_)};
  event.content = hash_bytes(data(me(), room_), bytes_);
  log_act(event);
}

// Waits for it.
const chan::BoardPlace& Rounds::entry_of(uint32_t member) {
  if (!board_.published(member)) {
    const auto entry = [this](uint32_t m) { return &board_.place(board_.round(), m).round; };
    wait_for([member] { return member; }, entry, board_.round() + 1, [&] { return board_.published(member); });
  }
  const chan::BoardPlace& place = board_.place(board_.round(), member);
  if ((place.call & kCallMask) != static_cast<uint64_t>(g_call.id)) [[unlikely]]
    mismatch(member, static_cast<CallId>(place.call & kCallMask));
  g_clock = std::max(g_clock, place.stamp + g_job->lookahead);
  return place;
}

uint64_t Rounds::announced(uint32_t member) { return entry_of(member).call >> kCallBits; }

const std::byte* Rounds::await(uint32_t member, size_t room, size_t bytes) {
  (void)entry_of(member);
  const std::byte* found = data(member, room);
  if (g_log_events) [[unlikely]]
    told_ = hash_bytes(found, bytes, told_);
  return found;
}

// The members of a communicator must call the same collective operations in the same order.
void Rounds::mismatch(uint32_t member, CallId theirs) const {
  char why[200];
  std::snprintf(why, sizeof why,
                "mismatched collective operations on %s: rank %d is in %s, rank %u in %s; the job ends",
                comm_label(comm_).c_str(), comm_.rank, call_name(g_call.id), member, call_name(theirs));
  job_abort(kStuckExit, why);
}

void Rounds::await_all(size_t bytes) {
  for (uint32_t member = 0; member < members(); ++member) {
    if (member != me()) await(member, bytes);
  }
  board_.all_entered();
}

void Rounds::finish() {
  if (board_.ends_half()) g_clock += 1;  // others may act on it: an action of its own
  if (g_note_events) [[unlikely]] {
    fold_answer({.kind = EventKind::kLeave,
                 .bytes = 1,
                 .time = g_clock,
                 .context = collective_context(comm_),
                 .content = told_});
    told_ = 0;
  }
  board_.finish(g_clock);
  spmc::base::light_fence();
  if (board_.head().waiting.load(std::memory_order_relaxed) != 0) [[unlikely]]
    notify_all();
}

}  // namespace detmpi
