#include "polling.hpp"

#include <base/sys.hpp>

#include <algorithm>

#include "../object/call.hpp"
#include "engine.hpp"
#include "events.hpp"

namespace detmpi {
namespace {

uint64_t g_last_end = 0;  // the clock after the last failed poll, without extra ticks
unsigned g_in_a_row = 0;

constexpr unsigned kMostDoublings = 30;
constexpr unsigned kPollsPerTurn = 8;  // a poll costs 0.1 us, giving the core away 1 us, under load a time slice

}  // namespace

// LOGICAL-TIME section 6: the n-th in a row takes min(2^n, about L / 16). Any other call resets it.
void failed_poll() {
  note_answer({.kind = EventKind::kNothing, .time = g_clock});
  g_in_a_row = g_clock - g_extra_ticks == g_last_end + 1 ? g_in_a_row + 1 : 1;
  const uint64_t most = std::max<uint64_t>(1, g_job->lookahead / 16);
  g_clock += std::min(uint64_t{1} << std::min(g_in_a_row, kMostDoublings), most) - 1;
  g_last_end = g_clock - g_extra_ticks;
  if (g_in_a_row % kPollsPerTurn == 0) g_engine.give_way();
}

void Engine::give_way() {
  if (crowded_) spmc::base::yield_core();
  else spmc::base::cpu_relax();
}

}  // namespace detmpi
