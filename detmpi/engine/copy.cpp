#include "copy.hpp"

#include <immintrin.h>

namespace detmpi {
namespace {

const bool g_has_avx2 = __builtin_cpu_supports("avx2");

__attribute__((target("avx2"))) void copy_avx2(char* to, const char* from, size_t n) {
  constexpr size_t kStep = 128;
  size_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    const auto load = [&](size_t at) __attribute__((target("avx2"))) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i + at));
    };
    const auto store = [&](size_t at, __m256i v) __attribute__((target("avx2"))) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i + at), v);
    };
    const __m256i a = load(0), b = load(32), c = load(64), d = load(96);
    store(0, a);
    store(32, b);
    store(64, c);
    store(96, d);
  }
  if (i < n) std::memcpy(to + i, from + i, n - i);
}

}  // namespace

void copy_vectors(void* to, const void* from, size_t n) {
  if (g_has_avx2) copy_avx2(static_cast<char*>(to), static_cast<const char*>(from), n);
  else std::memcpy(to, from, n);
}

}  // namespace detmpi
