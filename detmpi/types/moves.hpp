// The two directions of a copy between typed memory and packed bytes.
#pragma once

#include <base/copy.hpp>

#include <cstddef>
#include <cstring>

#include "block_loops.hpp"
#include "layout.hpp"

namespace detmpi {

// kLength bytes. From 32 bytes on in vectors, which the C library's inline copy would cut into smaller ones.
template <size_t kLength>
[[gnu::always_inline]] inline void move_bytes(char* to, const char* from) {
  if constexpr (kLength % 32 == 0) {
    using Vector [[gnu::vector_size(32), gnu::aligned(1), gnu::may_alias]] = long long;
    for (size_t i = 0; i < kLength; i += 32) {
      *reinterpret_cast<Vector*>(to + i) = *reinterpret_cast<const Vector*>(from + i);
    }
  } else {
    memcpy(to, from, kLength);
  }
}

// The directions.
struct Packing {
  static constexpr bool kPacks = true;
  static constexpr ptrdiff_t kFar = ptrdiff_t{2} << 20;
};

// A store waits for its line as a load does, but fewer stores can wait at a time.
struct Unpacking {
  static constexpr bool kPacks = false;
  static constexpr ptrdiff_t kFar = ptrdiff_t{256} << 10;
};

template <class Way>
void move_block(char* typed, char* packed, size_t n) {
  if constexpr (Way::kPacks) spmc::base::copy_memory(packed, typed, n);
  else spmc::base::copy_memory(typed, packed, n);
}

template <class Way, size_t kLength>
[[gnu::always_inline]] inline void move_block(char* typed, char* packed) {
  if constexpr (Way::kPacks) move_bytes<kLength>(packed, typed);
  else move_bytes<kLength>(typed, packed);
}

}  // namespace detmpi
