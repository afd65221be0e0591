// Copying message data. For pieces of a few KiB between cores, a plain loop over 32-byte vectors beats the C library's
// copy, which turns to string instructions at that size: 10 to 25% in a ping-pong of 16 KiB to 1 MiB messages through a
// window (Cascade Lake).
#pragma once

#include <base/copy.hpp>

#include <cstddef>
#include <cstring>

namespace detmpi {

inline constexpr size_t kVectorCopyBytes = 2048;  // from here on

// n >= kVectorCopyBytes. No overlap.
void copy_vectors(void* to, const void* from, size_t n);

inline void copy_bytes(void* to, const void* from, size_t n) {
  if (n <= spmc::base::kShortCopy) spmc::base::copy_short(to, from, n);
  else if (n < kVectorCopyBytes) std::memcpy(to, from, n);
  else copy_vectors(to, from, n);
}

inline constexpr size_t kStreamedBytes = 4096;

// To memory that another process reads next, and has read before. Where it runs on a core that is far away, like one of
// another core complex, a plain store waits for each line to be taken from that core's cache: 32 KiB take 8 us on two
// complexes of an AMD EPYC, and 2.3 us past the caches; on two cores of one complex it is 2.0 and 2.6 us. So both ways
// are measured now and then.
void copy_long_to_shared(void* to, const void* from, size_t n);
inline void copy_to_shared(void* to, const void* from, size_t n) {
  if (n < kStreamedBytes) copy_bytes(to, from, n);
  else copy_long_to_shared(to, from, n);
}

}  // namespace detmpi
