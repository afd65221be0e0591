#include "deadlock.hpp"

#include <base/sys.hpp>
#include <base/wait.hpp>
#include <chan/match/bounds.hpp>
#include <chan/match/snapshot.hpp>

#include <algorithm>
#include <map>

#include "../engine/job_view.hpp"

namespace detmpi {
namespace {

using chan::match::kNever;
using chan::match::Need;
using chan::match::Time;
using Kind = chan::match::RankState::Kind;

constexpr uint64_t kPatienceNs = 5'000'000'000;  // for ranks that describe what they wait for, of time that they had
constexpr uint64_t kStepNs = 1'000'000;
constexpr uint64_t kLateNs = 500'000'000;  // for ranks that may still come to be stuck: told within a second
constexpr uint64_t kNotBlocked = ~uint64_t{0};

// `until`: what they are sent later, by ranks that go on, differs from run to run.
void wait_for_descriptions(const std::vector<StuckRank>& stuck, Time until) {
  for (const StuckRank& s : stuck) rank_record(s.rank).description_bytes.store(0);  // of a poll, from before
  g_job->describe.store(until, std::memory_order_release);
  FairTime waited;
  waited.restart();
  for (;;) {
    std::vector<int> missing;
    for (const StuckRank& s : stuck) {
      if (!has_described_itself(s.rank)) missing.push_back(s.rank);
    }
    if (missing.empty() || waited.passed_ns() >= kPatienceNs) return;
    for (const int rank : missing) wake_rank(rank);
    spmc::base::sleep_ns(kStepNs);
    waited.look(missing);
  }
}

std::vector<int> senders_of(const Need& need) {
  std::vector<int> named;
  for (const auto& source : need.sources) named.push_back(source.rank);
  if (!need.all_but) return named;
  std::vector<int> others;
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    if (std::ranges::find(named, rank) == named.end()) others.push_back(rank);
  }
  return others;
}

// What ranks say of themselves, next to their records.
using Descriptions = std::map<int, Description>;
Descriptions descriptions_of(const std::vector<StuckRank>& stuck) {
  Descriptions all;
  for (const StuckRank& s : stuck) all[s.rank] = description_of(s.rank);
  return all;
}

void add_description(Deadlock& deadlock, StuckRank& stuck, const std::vector<Need>& needs, const Descriptions& all) {
  Description said = all.at(stuck.rank);
  if (!said.mismatch.empty() && std::ranges::find(deadlock.mismatches, said.mismatch) == deadlock.mismatches.end()) {
    deadlock.mismatches.push_back(said.mismatch);
  }
  stuck.call = said.call;
  stuck.place = said.place;
  stuck.unmatched = said.unmatched;
  // Not of ranks that go on: what they have sent last differs from run to run.
  for (Unmatched& message : stuck.unmatched) {
    const auto sender = all.find(message.from);
    if (sender != all.end()) add_place(message, stuck.rank, sender->second);
  }
  stuck.others_unmatched = said.others_unmatched;
  for (size_t i = 0; i < std::min(said.needs.size(), needs.size()); ++i) {
    const bool repeats = needs[i].kind == Need::Kind::kRepeat && needs[i].repeats < needs.size();
    const Need& need = repeats ? needs[needs[i].repeats] : needs[i];
    Unmet& unmet = said.needs[i];
    unmet.from = senders_of(need);
    if (need.kind == Need::Kind::kAck) unmet.from.push_back(need.peer);
    if (need.kind != Need::Kind::kFixed) stuck.needs.push_back(unmet);
  }
}

// Follows from each stuck rank the first rank that it waits for, until one comes again.
std::vector<int> find_cycle(const std::vector<StuckRank>& stuck) {
  const auto next = [&](int rank) {
    const auto at = std::ranges::find(stuck, rank, &StuckRank::rank);
    if (at == stuck.end()) return -1;
    for (const Unmet& need : at->needs) {
      for (const int from : need.from) {
        if (from != rank && std::ranges::find(stuck, from, &StuckRank::rank) != stuck.end()) return from;
      }
    }
    return -1;
  };
  for (const StuckRank& first : stuck) {
    std::vector<int> path;
    for (int rank = first.rank; rank >= 0; rank = next(rank)) {
      const auto seen = std::ranges::find(path, rank);
      if (seen != path.end()) return {seen, path.end()};
      path.push_back(rank);
    }
  }
  return {};
}

std::vector<int> finished_ranks(const std::vector<StuckRank>& stuck) {
  std::vector<int> finished;
  for (const StuckRank& s : stuck) {
    for (const Unmet& need : s.needs) {
      for (const int from : need.from) {
        const bool done = clock_line(from).kind.load() == static_cast<uint32_t>(space::ClockKind::kDone);
        if (done && std::ranges::find(finished, from) == finished.end()) finished.push_back(from);
      }
    }
  }
  return finished;
}

using States = std::vector<chan::match::RankState>;

struct Snapshot {
  States states;
  std::vector<Time> bounds;
  std::vector<StuckRank> stuck;
  bool all = false;  // nobody else goes on
};

Snapshot take_snapshot(JobView& view) {
  spmc::base::heavy_fence();
  Snapshot now;
  now.states = chan::match::Snapshot(view, g_job->lookahead).take();
  now.bounds = chan::match::solve_bounds(now.states);
  for (size_t rank = 0; rank < now.states.size(); ++rank) {
    const auto& state = now.states[rank];
    if (state.kind != Kind::kWait || now.bounds[rank] != kNever) continue;
    StuckRank& stuck = now.stuck.emplace_back();
    stuck.rank = static_cast<int>(rank);
    stuck.clock = state.clock;
    stuck.any = state.any;
  }
  const auto done = std::ranges::count(now.states, Kind::kDone, &chan::match::RankState::kind);
  now.all = now.stuck.size() + static_cast<size_t>(done) == now.states.size();
  return now;
}

// Of a rank that is stuck. While it takes in a message there are none, and soon they are there again.
std::vector<Need> needs_of(JobView& view, int rank) {
  constexpr int kMostLooks = 1000;
  chan::match::Record record;
  uint64_t version = 0;
  for (int looks = 0; looks < kMostLooks; ++looks) {
    view.read_record(rank, record, &version);
    if (record.kind == Kind::kWait) break;
    g_job->bounds_asked.store(1);
    spmc::base::sleep_ns(kStepNs);
  }
  return record.needs;
}

bool sees(const Snapshot& now, const std::vector<int>& stuck) {
  return std::ranges::all_of(
      stuck, [&](int rank) { return std::ranges::find(now.stuck, rank, &StuckRank::rank) != now.stuck.end(); });
}

// Who takes in a message at that moment, which need not be one that it waits for, counts as running. So where somebody
// is not stuck any more who was, which cannot be, there is another look.
Snapshot take_snapshot(JobView& view, const std::vector<int>& stuck_before) {
  constexpr int kMostLooks = 16;
  Snapshot now = take_snapshot(view);
  for (int looks = 1; looks < kMostLooks && !sees(now, stuck_before); ++looks) now = take_snapshot(view);
  return now;
}

// Those that had come to wait by `clock`, and are stuck whatever all do that came to wait later, or never.
std::vector<StuckRank> stuck_by(uint64_t clock, const std::vector<StuckRank>& stuck, const States& states,
                                States& assumed) {
  for (size_t rank = 0; rank < states.size(); ++rank) {
    const bool later = states[rank].kind == Kind::kWait && states[rank].clock > clock;
    assumed[rank].kind = later ? Kind::kRun : states[rank].kind;
  }
  const auto bounds = chan::match::solve_bounds(assumed);
  std::vector<StuckRank> by;
  for (const StuckRank& s : stuck) {
    if (s.clock <= clock && bounds[static_cast<size_t>(s.rank)] == kNever) by.push_back(s);
  }
  return by;
}

// Those that were stuck when the first were. The later the clock, the more are: so the first is searched by halves.
void keep_first(std::vector<StuckRank>& stuck, const States& states) {
  if (stuck.empty()) return;
  std::vector<uint64_t> clocks;
  for (const StuckRank& s : stuck) clocks.push_back(s.clock);
  std::ranges::sort(clocks);
  States assumed = states;
  const auto none = [&](uint64_t clock) { return stuck_by(clock, stuck, states, assumed).empty(); };
  const auto first = std::partition_point(clocks.begin(), std::prev(clocks.end()), none);
  stuck = stuck_by(*first, stuck, states, assumed);
}

}  // namespace

// Since the last look. The clock of a rank stands still while it waits, whatever it takes in meanwhile. A stale value
// only brings on a snapshot, which is exact, or puts it off until the next look.
bool DeadlockFinder::anybody_blocked() {
  bool any = false;
  clocks_.resize(g_job->ranks, kNotBlocked);
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    const space::ClockLine& line = clock_line(rank);
    const auto kind = static_cast<space::ClockKind>(line.kind.load(std::memory_order_acquire));
    const bool blocked = kind == space::ClockKind::kWaitAll || kind == space::ClockKind::kWaitAny;
    const uint64_t clock = blocked ? line.clock.load(std::memory_order_relaxed) : kNotBlocked;
    uint64_t& before = clocks_[static_cast<size_t>(rank)];
    any = any || (blocked && clock == before);
    before = clock;
  }
  return any;
}

// Who is stuck shall depend on the program, not on how fast each rank comes to its place: so those that may still come
// are waited for, though not for ever: for a time that they had.
bool DeadlockFinder::is_settled(const std::vector<StuckRank>& stuck, bool all, const Bounds& bounds) {
  std::vector<int> ranks, others;
  for (const StuckRank& s : stuck) ranks.push_back(s.rank);
  if (ranks != stuck_) {
    stuck_ = std::move(ranks);
    stuck_for_.restart();
    return false;
  }
  if (stuck.empty()) return false;
  for (size_t rank = 0; rank < bounds.size(); ++rank) {
    if (bounds[rank] != kNever) others.push_back(static_cast<int>(rank));
  }
  stuck_for_.look(others);
  return all || stuck_for_.passed_ns() >= kLateNs;
}

// Where others go on: can none of them come to be stuck at a time that counts, and has what they print up to a certain
// time been printed? As long as one of those in the deadlock was not stuck, it seemed that each of them would go on, a
// lookahead later for each of them that waits for another; so far may output have been written.
bool DeadlockFinder::is_complete(Deadlock& deadlock, const Bounds& bounds) const {
  const uint64_t time = std::ranges::max(deadlock.stuck, {}, &StuckRank::clock).clock;
  const uint64_t epoch = (time + (deadlock.stuck.size() + 1) * (g_job->lookahead + 1)) / g_job->lookahead;
  deadlock.cut = (epoch + 1) * g_job->lookahead;
  deadlock.even = std::ranges::all_of(bounds, [&](Time bound) { return bound > deadlock.cut; });
  return deadlock.even || stuck_for_.passed_ns() >= kLateNs + g_job->stuck_grace_ns;
}

std::optional<Deadlock> told_mismatch() {
  if (g_job->mismatch[0] == 0) return {};
  Deadlock none;
  none.ranks = static_cast<int>(g_job->ranks);
  none.strict_sends = g_job->strict_sends != 0;
  none.mismatches.emplace_back(g_job->mismatch);
  return none;
}

std::optional<Deadlock> DeadlockFinder::look() {
  // Who takes in messages all the time does not come to sleep: it tells what it waits for if it is asked.
  g_job->bounds_asked.store(1);
  if (!anybody_blocked()) return {};
  JobView view;
  Snapshot now = take_snapshot(view, stuck_);
  if (!sees(now, stuck_)) {  // tells nothing, unless a thread of the program has helped one of them
    constexpr int kMostInVain = 10;
    if (++looks_in_vain_ >= kMostInVain) stuck_.clear();
    return {};
  }
  looks_in_vain_ = 0;
  Deadlock deadlock;
  deadlock.ranks = static_cast<int>(g_job->ranks);
  deadlock.strict_sends = g_job->strict_sends != 0;
  deadlock.stuck = std::move(now.stuck);
  deadlock.even = now.all;
  if (!now.all) keep_first(deadlock.stuck, now.states);
  if (!is_settled(deadlock.stuck, now.all, now.bounds)) return {};
  if (!now.all && !is_complete(deadlock, now.bounds)) return {};
  wait_for_descriptions(deadlock.stuck, deadlock.cut);
  const Descriptions descriptions = descriptions_of(deadlock.stuck);
  for (StuckRank& one : deadlock.stuck) add_description(deadlock, one, needs_of(view, one.rank), descriptions);
  deadlock.cycle = find_cycle(deadlock.stuck);
  deadlock.finished = finished_ranks(deadlock.stuck);
  return deadlock;
}

}  // namespace detmpi
