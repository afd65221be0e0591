#include "copy.hpp"

#include <immintrin.h>
#include <x86intrin.h>
#include <base/copy.hpp>

#include <algorithm>
#include <cstdint>

namespace detmpi {
namespace {

const bool g_has_avx2 = __builtin_cpu_supports("avx2");

struct Store {
  __attribute__((target("avx2"))) void operator()(void* to, __m256i v) const {
    _mm256_storeu_si256(static_cast<__m256i*>(to), v);
  }
};

struct Stream {  // `to` must be aligned
  __attribute__((target("avx2"))) void operator()(void* to, __m256i v) const {
    _mm256_stream_si256(static_cast<__m256i*>(to), v);
  }
};

template <typename Put>
__attribute__((target("avx2"))) void copy_avx2(char* to, const char* from, size_t n, Put put) {
  constexpr size_t kStep = 128;
  size_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    const auto load = [&](size_t at) __attribute__((target("avx2"))) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i + at));
    };
    const __m256i a = load(0), b = load(32), c = load(64), d = load(96);
    put(to + i, a);
    put(to + i + 32, b);
    put(to + i + 64, c);
    put(to + i + 96, d);
  }
  if (i < n) std::memcpy(to + i, from + i, n - i);
}

// Past the caches. The fence: a later store that publishes the data must not overtake these.
void stream(char* to, const char* from, size_t n) {
  const size_t head = std::min(n, -reinterpret_cast<uintptr_t>(to) % 64);
  std::memcpy(to, from, head);
  copy_avx2(to + head, from + head, n - head, Stream());
  _mm_sfence();
}

// How to store into memory of which another core may have the lines in its cache, by what it took lately. It decides
// how bytes are written, and never which.
class StoreChoice {
 public:
  void copy(char* to, const char* from, size_t n) {
    const uint32_t turn = ++turns_;
    if (turn % kMeasureEvery != 0) return copy(to, from, n, choice_);
    const bool other = turn % (kMeasureEvery * kOtherEvery) == 0;
    const How how = other ? How{!choice_} : choice_;
    const uint64_t begin = __rdtsc();
    copy(to, from, n, how);
    note(how, (__rdtsc() - begin) * 1024 / n);
  }

 private:
  enum How : bool { kStored, kStreamed };
  static constexpr uint32_t kMeasureEvery = 16, kOtherEvery = 4;

  static void copy(char* to, const char* from, size_t n, How how) {
    if (how == kStreamed) stream(to, from, n);
    else copy_avx2(to, from, n, Store());
  }
  // What has taken longer counts less, and as twice the usual at most: the rank may not have been running for a while.
  // Streamed data come from memory, which the reader pays for, so they must be much cheaper.
  void note(How how, uint64_t cost) {
    uint64_t& usual = cost_[how];
    if (cost < usual || usual == 0) usual = (usual == 0 ? cost : (usual + cost) / 2) + 1;
    else usual = (3 * usual + std::min(cost, 2 * usual)) / 4;
    if (cost_[kStored] != 0 && cost_[kStreamed] != 0) choice_ = How{2 * cost_[kStored] > 5 * cost_[kStreamed]};
  }

  How choice_ = kStored;
  uint32_t turns_ = 0;
  uint64_t cost_[2] = {};  // per KiB, in ticks of the time stamp counter; 0: not known yet
};

StoreChoice g_stores;

}  // namespace

void copy_vectors(void* to, const void* from, size_t n) {
  if (g_has_avx2) copy_avx2(static_cast<char*>(to), static_cast<const char*>(from), n, Store());
  else spmc::base::copy_memory(to, from, n);
}

void copy_long_to_shared(void* to, const void* from, size_t n) {
  if (g_has_avx2) g_stores.copy(static_cast<char*>(to), static_cast<const char*>(from), n);
  else spmc::base::copy_memory(to, from, n);
}

}  // namespace detmpi
