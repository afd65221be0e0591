// How long polls take that find nothing.
#pragma once

#include <cstdint>

#include <chan/match/types.hpp>

namespace chan::match {

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
