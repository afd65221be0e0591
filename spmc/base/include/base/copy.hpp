// Copying at any addresses. The C library and the kernel copy more than some 2 KiB by string instructions, which on some
// processors take 15 to 20 times as long if, within a page, the target lies 1 to 31 bytes behind the source: 16 KiB
// at 2.8 GB/s and not at 60 (AMD Zen 3). That is no rare case: a program's large blocks begin 16 bytes behind a page, and
// pages of ours at its begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spmc::base {

inline constexpr size_t kCopiedPlainly = 2048;  // up to here without string instructions

inline bool slows_string_copy(uintptr_t to, uintptr_t from) { return (to - from - 1) % 4096 < 31; }

namespace internal {
// kWidth to 2 * kWidth bytes: the first and the last ones.
template <size_t kWidth>
inline void copy_ends(char* to, const char* from, size_t bytes) {
  std::memcpy(to, from, kWidth);
  std::memcpy(to + bytes - kWidth, from + bytes - kWidth, kWidth);
}
}  // namespace internal

inline constexpr size_t kShortCopy = 32;

// memcpy() of at most kShortCopy bytes, without a call. Async-signal-safe.
inline void copy_short(void* to, const void* from, size_t bytes) {
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  if (bytes >= 16) return internal::copy_ends<16>(target, source, bytes);
  if (bytes >= 8) return internal::copy_ends<8>(target, source, bytes);
  if (bytes >= 4) return internal::copy_ends<4>(target, source, bytes);
  if (bytes >= 2) return internal::copy_ends<2>(target, source, bytes);
  if (bytes == 1) *target = *source;
}

// memcpy(), in pieces where that is faster. Async-signal-safe.
inline void copy_memory(void* to, const void* from, size_t bytes) {
  if (bytes <= kShortCopy) return copy_short(to, from, bytes);
  const auto slow = [&] {
    return slows_string_copy(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from));
  };
  size_t done = 0;
  if (bytes > kCopiedPlainly && slow()) [[unlikely]] {
    for (; bytes - done > kCopiedPlainly; done += kCopiedPlainly / 2)
      std::memcpy(static_cast<char*>(to) + done, static_cast<const char*>(from) + done, kCopiedPlainly / 2);
  }
  std::memcpy(static_cast<char*>(to) + done, static_cast<const char*>(from) + done, bytes - done);
}

}  // namespace spmc::base
