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

// memcpy(), in pieces where that is faster. Async-signal-safe.
inline void copy_memory(void* to, const void* from, size_t bytes) {
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
