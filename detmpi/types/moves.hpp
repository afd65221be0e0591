// The two directions of a copy between typed memory and packed bytes.
#pragma once

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

struct Packing {
  static void move(char* typed, char* packed, size_t n) { memcpy(packed, typed, n); }
  template <size_t kLength>
  [[gnu::always_inline]] static void move(char* typed, char* packed) {
    move_bytes<kLength>(packed, typed);
  }
  static const RowsLoops& loops(const BlockLoops& of) { return of.pack; }
  static void elements(const ElementMoves& moves, char* typed, ptrdiff_t stride, size_t count, char* packed) {
    moves.pack(typed, stride, count, packed);
  }
  static constexpr ptrdiff_t kFar = ptrdiff_t{2} << 20;
};

// A store waits for its line as a load does, but fewer stores can wait at a time.
struct Unpacking {
  static void move(char* typed, char* packed, size_t n) { memcpy(typed, packed, n); }
  template <size_t kLength>
  [[gnu::always_inline]] static void move(char* typed, char* packed) {
    move_bytes<kLength>(typed, packed);
  }
  static const RowsLoops& loops(const BlockLoops& of) { return of.unpack; }
  static void elements(const ElementMoves& moves, char* typed, ptrdiff_t stride, size_t count, char* packed) {
    moves.unpack(typed, stride, count, packed);
  }
  static constexpr ptrdiff_t kFar = ptrdiff_t{256} << 10;
};

}  // namespace detmpi
