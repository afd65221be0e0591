// The digest of a run: each rank folds everything that the order of messages decides for it into one number. Two runs
// in which all ranks have the same digests took the same course.
//
// Events: a request completes (call, source, tag, bytes, time), a probe sees a message, a test fails, a collective
// operation takes a step (call, time). With --order=arrival times are left out: they are no promise there.
#pragma once

#include <cstdint>

namespace detmpi {

inline bool g_keep_digest = false;

[[gnu::cold]] void fold_event(int source, int tag, uint64_t bytes, uint64_t time);

inline void note_event(int source, int tag, uint64_t bytes, uint64_t time) {
  if (g_keep_digest) [[unlikely]]
    fold_event(source, tag, bytes, time);
}

// A well-mixed function of both (splitmix64's finaliser).
constexpr uint64_t fold_digest(uint64_t digest, uint64_t word) {
  uint64_t x = digest + word + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace detmpi
