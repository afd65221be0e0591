#include "horizon.hpp"

#include <algorithm>
#include <utility>

namespace detmpi {

using chan::match::kNever;
using chan::match::later;

void Horizon::start(int rank, int ranks, Time lookahead, bool first_come) {
  rank_ = rank;
  lookahead_ = lookahead;
  first_come_ = first_come;
  known_.assign(static_cast<size_t>(ranks), 0);
  fresh_.assign(static_cast<size_t>(ranks), 0);
  watches_.assign(static_cast<size_t>(ranks), false);
  snapshot_.emplace(view_, lookahead);
}

bool Horizon::look(int rank, Time beyond) {
  if (first_come_ || !wanting(rank, beyond)) return true;
  const space::ClockLine& line = clock_line(rank);
  Time& fresh = fresh_[static_cast<size_t>(rank)];
  const auto kind = static_cast<space::ClockKind>(line.kind.load(std::memory_order_acquire));
  Time bound = kind == space::ClockKind::kDone ? kNever : later(line.clock.load(std::memory_order_acquire), 1);
  if (kind != space::ClockKind::kRun) bound = std::max(bound, line.next_act.load(std::memory_order_acquire));
  if (bound > fresh) {
    fresh = bound;
    fresher_ = true;
    if (!wanting(rank, beyond)) return true;
  }
  if (kind != space::ClockKind::kRun) blocked_found_ = true;
  return false;
}

void Horizon::take_snapshot(Time unsent) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // what this rank has published, before it reads
  Time& own = fresh_[static_cast<size_t>(rank_)];
  const Time acts = std::exchange(own, std::min(own, unsent));
  const auto& bounds = solver_.solve(snapshot_->take(), fresh_);
  own = acts;
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i] <= fresh_[i]) continue;
    fresh_[i] = bounds[i];
    tell(static_cast<int>(i), bounds[i]);
  }
  fresher_ = true;
}

// What one rank has found out counts for all: whoever has seen it sees the messages that were sent before, too.
void Horizon::tell(int rank, Time bound) {
  std::atomic<uint64_t>& told = clock_line(rank).next_act;
  uint64_t seen = told.load(std::memory_order_relaxed);
  while (seen < bound && !told.compare_exchange_weak(seen, bound, std::memory_order_acq_rel)) {
  }
}

void Horizon::set_self(Time time) {
  Time& known = known_[static_cast<size_t>(rank_)];
  if (known >= time) return;
  known = time;
  note_news();
  fresh_[static_cast<size_t>(rank_)] = std::max(fresh_[static_cast<size_t>(rank_)], known);
}

void Horizon::adopt() {
  if (!fresher_) return;
  known_ = fresh_;
  fresher_ = false;
  find_least();
  note_news();
}

void Horizon::find_least() {
  least_ = kNever;
  for (int rank = 0; rank < static_cast<int>(known_.size()); ++rank) {
    if (rank != rank_) least_ = std::min(least_, known_[static_cast<size_t>(rank)]);
  }
}

bool Horizon::watch(Time beyond) {
  // Its next message arrives later once its clock is there.
  const Time at = std::max<Time>(1, beyond - std::min(beyond, lookahead_));
  bool anything = false;
  for (int rank = 0; rank < static_cast<int>(fresh_.size()); ++rank) {
    if (!wanting(rank, beyond)) continue;
    anything = watch_clock(rank, at) || anything;
    // It may wait for an acknowledgement: then its bound also grows when the other one, however late that one's own
    // next action is, takes the message in, or learns what receive the message is for.
    snapshot_->each_acknowledger(rank, [&](int peer) { anything = watch_next(peer) || anything; });
  }
  return anything;
}

// One that never acts again is watched, too: it still takes messages in.
bool Horizon::watch_next(int rank) {
  return rank != rank_ && watch_clock(rank, std::max<Time>(1, fresh_[static_cast<size_t>(rank)]));
}

bool Horizon::watch_clock(int rank, Time at) {
  bool anything = false;
  if (!watches_[static_cast<size_t>(rank)]) {
    watches_[static_cast<size_t>(rank)] = true;
    watched_.push_back(rank);
    watch_word(rank, static_cast<size_t>(rank_) / 64).fetch_or(uint64_t{1} << (rank_ % 64));
    anything = true;
  }
  std::atomic<uint64_t>& wake_at = clock_line(rank).wake_at;
  uint64_t seen = wake_at.load(std::memory_order_relaxed);
  while (seen == 0 || seen > at) {
    if (wake_at.compare_exchange_weak(seen, at, std::memory_order_acq_rel)) return true;
  }
  return anything;
}

void Horizon::stop_watching() {
  for (const int rank : watched_) {
    watches_[static_cast<size_t>(rank)] = false;
    watch_word(rank, static_cast<size_t>(rank_) / 64).fetch_and(~(uint64_t{1} << (rank_ % 64)));
  }
  watched_.clear();
}

}  // namespace detmpi
