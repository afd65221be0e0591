// How long polls wait, and take, that find nothing.
#pragma once

#include <algorithm>
#include <cstdint>

#include <chan/match/types.hpp>

namespace chan::match {

// For how long, in logical time, a poll waits: it returns as soon as something is complete, and in vain after that.
// `round`: how often the rank has come back to what it polled for first, without another call in between. The first
// look does not wait at all, and those that follow longer and longer: so a rank that polls does not need thousands of
// calls to come to the time of what it waits for. Who tests a third time has nothing better to do than to wait for what
// is on its way, and that is there within L. A probe looks whether there is something to do, in the midst of other
// things: it is not kept for so long.
constexpr Time reach_of_poll(uint64_t round, bool probes, Time lookahead) {
  constexpr uint64_t kMostDoublings = 30;
  if (round == 0) return 0;
  if (round == 2 && !probes) return lookahead;
  const Time most = lookahead / 4 > 1 ? lookahead / 4 : 1;  // why L / 4: docs/results/order.md
  return std::min(Time{1} << std::min(round, kMostDoublings), most);
}

// What the first of several failed polls in a row takes beyond its ticks: mostly nothing, now and then up to L / 2.
// `row` counts the rank's rows from 1.
//
// Calls take a tick each, whatever they do, so ranks that poll can be in step with each other, and nothing would ever
// part them: two ranks of which each hands its last task to the other, before it looks at it, because the other's
// request is there by then, would never end. Real time parts them sooner or later.
constexpr Time stumble(int rank, uint64_t row, Time lookahead) {
  constexpr uint64_t kRowsPerStumble = 128;
  uint64_t bits = (row << 16 ^ static_cast<uint64_t>(rank)) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93u;
  bits ^= bits >> 32;
  if (bits % kRowsPerStumble != 0) return 0;
  return bits / kRowsPerStumble % (lookahead / 2 + 1);
}

}  // namespace chan::match
