#include "polling.hpp"

#include <base/sys.hpp>
#include <chan/match/poll.hpp>

#include <algorithm>

#include "../object/call.hpp"
#include "engine.hpp"
#include "events.hpp"

namespace detmpi {
namespace {

// What is polled for: a request, of several the first in the list; or what a probe looks for.
struct Subject {
  int handle = MPI_REQUEST_NULL;
  uint32_t context = 0;
  int source = 0, tag = 0;
  bool operator==(const Subject&) const = default;
};

Subject subject_of(const Wait& wait) {
  if (wait.probe != nullptr) return {MPI_REQUEST_NULL, wait.probe->context, wait.probe->source, wait.probe->tag};
  return {wait.request != nullptr ? wait.request->handle : wait.handles.front()};
}

// Failed polls without another call in between.
struct Row {
  uint64_t polls = 0;
  Subject first;
  uint64_t rounds = 0;  // how often `first` was polled for again
  uint64_t end = 0;     // the clock after the last poll, without extra ticks

  bool goes_on() const { return g_clock - g_extra_ticks == end + 1; }
};
Row g_row;
bool g_poll_goes_on = false;  // the poll that has begun continues the row
uint64_t g_rows = 0;          // of this rank so far

constexpr uint64_t kAtOnceNs = 20'000;
// A poll costs 0.1 us, giving the core away 1 us, under load a time slice. Who polls for many things by turns has less
// reason to than who polls for the same again.
constexpr unsigned kRoundsPerTurn = 8;
constexpr unsigned kPollsPerTurn = 64;

// Adds a poll; true if it begins another round.
bool lengthen_row(const Wait& wait) {
  const Subject subject = subject_of(wait);
  if (!g_poll_goes_on) g_row = {.first = subject};
  const bool again = g_row.polls++ > 0 && subject == g_row.first;
  g_row.rounds += again;
  return again;
}

// For who watches over the job.
void count_for_hint(const Wait& wait) {
  RankRecord& record = rank_record(g_engine.rank());
  if (g_row.polls == 1) {
    record.polls_since.store(g_clock, std::memory_order_relaxed);
    record.polls_at_once.store(0, std::memory_order_relaxed);
  }
  record.polls.store(g_row.polls, std::memory_order_relaxed);
  if (g_job->describe_polls.load(std::memory_order_relaxed) != 0) [[unlikely]]
    g_engine.describe_poll(wait);
}

}  // namespace

void measure_pause() {
  const bool at_once = spmc::base::monotonic_ns() - g_poll_ended < kAtOnceNs;
  g_poll_ended = 0;
  if (at_once) rank_record(g_engine.rank()).polls_at_once.fetch_add(1, std::memory_order_relaxed);
}

// Whoever polls for many things, one after the other, waits for the first of them alone: so the rank does not hurry
// ahead of all others, who then must be waited for. Any other call ends the row.
uint64_t reach_of_poll(const Wait& wait) {
  g_poll_goes_on = g_row.goes_on();
  if (!g_poll_goes_on || g_job->first_come != 0 || subject_of(wait) != g_row.first) return 0;
  return chan::match::reach_of_poll(g_row.rounds + 1, wait.probe != nullptr, g_job->lookahead);
}

void failed_poll(const Wait& wait) {
  note_answer({.kind = EventKind::kNothing, .time = g_clock});
  const bool again = lengthen_row(wait);
  if (g_row.polls == 1) g_clock += chan::match::stumble(g_engine.rank(), ++g_rows, g_job->lookahead);
  g_row.end = g_clock - g_extra_ticks;
  count_for_hint(wait);
  if ((again && g_row.rounds % kRoundsPerTurn == 0) || g_row.polls % kPollsPerTurn == 0) g_engine.give_way();
  if (g_row.polls % kPollsPerSample == 0) g_poll_ended = spmc::base::monotonic_ns();
}

void Engine::give_way() {
  if (!crowded_ || !spmc::base::yields_pay()) return spmc::base::cpu_relax();
  uint64_t before = spmc::base::monotonic_ns();
  spmc::base::yield_and_watch(before);
}

}  // namespace detmpi
