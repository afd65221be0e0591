#include "polling.hpp"

#include <base/sys.hpp>

#include <algorithm>

#include "../object/call.hpp"
#include "engine.hpp"
#include "events.hpp"

namespace detmpi {
namespace {

uint64_t g_last_end = 0;  // the clock after the last failed poll, without extra ticks
uint64_t g_in_a_row = 0;

constexpr uint64_t kMostDoublings = 30;
constexpr uint64_t kAtOnceNs = 20'000;
constexpr unsigned kPollsPerTurn = 8;  // a poll costs 0.1 us, giving the core away 1 us, under load a time slice

// For who watches over the job.
void count_for_hint(const Wait& wait) {
  RankRecord& record = rank_record(g_engine.rank());
  if (g_in_a_row == 1) {
    record.polls_since.store(g_clock, std::memory_order_relaxed);
    record.polls_at_once.store(0, std::memory_order_relaxed);
  }
  record.polls.store(g_in_a_row, std::memory_order_relaxed);
  if (g_job->describe_polls.load(std::memory_order_relaxed) != 0) [[unlikely]]
    g_engine.describe_poll(wait);
}

}  // namespace

void measure_pause() {
  const bool at_once = spmc::base::monotonic_ns() - g_poll_ended < kAtOnceNs;
  g_poll_ended = 0;
  if (at_once) rank_record(g_engine.rank()).polls_at_once.fetch_add(1, std::memory_order_relaxed);
}

// LOGICAL-TIME section 6: the n-th in a row takes min(2^n, about L / 16). Any other call resets it.
void failed_poll(const Wait& wait) {
  note_answer({.kind = EventKind::kNothing, .time = g_clock});
  g_in_a_row = g_clock - g_extra_ticks == g_last_end + 1 ? g_in_a_row + 1 : 1;
  const uint64_t most = std::max<uint64_t>(1, g_job->lookahead / 16);
  g_clock += std::min(uint64_t{1} << std::min(g_in_a_row, kMostDoublings), most) - 1;
  g_last_end = g_clock - g_extra_ticks;
  count_for_hint(wait);
  if (g_in_a_row % kPollsPerTurn == 0) g_engine.give_way();
  if (g_in_a_row % kPollsPerSample == 0) g_poll_ended = spmc::base::monotonic_ns();
}

void Engine::give_way() {
  if (crowded_) spmc::base::yield_core();
  else spmc::base::cpu_relax();
}

}  // namespace detmpi
