#include "choices.hpp"

#include <algorithm>
#include <bit>

#include "../object/call.hpp"
#include "engine.hpp"
#include "events.hpp"

namespace detmpi {

Choices g_choices;

namespace {

enum Kind : uint64_t { kLatency = 1, kTick, kAmong };

constexpr int kMostDoublings = 7;

// Uniform below `scale` half of the time, below twice as much a quarter of the time, and so on.
uint64_t heavy_tailed(uint64_t bits, uint64_t scale) {
  const int doublings = std::min(std::countr_one(bits), kMostDoublings);
  return (bits >> 16) % (scale << doublings);
}

}  // namespace

void Choices::start(uint64_t seed, int rank, uint64_t lookahead) {
  seed_ = seed;
  rank_ = static_cast<uint64_t>(rank);
  lookahead_ = lookahead;
  g_watch_calls = seed != 0;
}

// Each word goes through a multiplication and a shift that spread it over all bits (splitmix64).
uint64_t Choices::draw(uint64_t kind, uint64_t a, uint64_t b, uint64_t c) const {
  uint64_t x = seed_;
  for (const uint64_t word : {kind, rank_, a, b, c}) {
    x += word + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
  }
  return x;
}

uint64_t Choices::arrival(int to, uint32_t context, uint64_t now) {
  Pair& pair = pairs_[{to, context}];
  const uint64_t bits = draw(kLatency, static_cast<uint64_t>(to), context, pair.number++);
  pair.floor = std::max(pair.floor, now + lookahead_ + heavy_tailed(bits, lookahead_));
  return pair.floor;
}

uint64_t Choices::tick() { return heavy_tailed(draw(kTick, ticks_++, 0, 0), 2); }

size_t Choices::among(size_t count) { return draw(kAmong, picks_++, 0, 0) % count; }

uint64_t watched_call() {
  g_engine.begin_call();
  if (g_log_events) log_call();
  if (g_choices.plain()) return 0;
  const uint64_t ticks = g_choices.tick();
  g_extra_ticks += ticks;
  return ticks;
}

}  // namespace detmpi
