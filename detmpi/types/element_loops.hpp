// Loops over elements of a few short blocks, such as structures: each element's blocks are copied with moves whose
// lengths the compiler knows.
#pragma once

#include <array>
#include <cstddef>

#include "block_loops.hpp"

namespace detmpi {

// How an element is copied: its blocks cut into moves, in their order.
class ElementMoves {
 public:
  // The next block. False: it takes other moves, or more of them, than there are loops for.
  bool add(ptrdiff_t offset, size_t length);
  // All blocks have been added.
  void choose_loops();

  // Whether there are loops.
  explicit operator bool() const { return loops_.pack != nullptr; }
  // `count` elements, `stride` apart.
  template <class Way>
  void copy(char* typed, ptrdiff_t stride, size_t count, char* packed) const {
    loops_.of<Way>()(offsets_.data(), typed, stride, count, packed);
  }

  using Loop = void (*)(const ptrdiff_t* offsets, char* typed, ptrdiff_t stride, size_t count, char* packed);

 private:
  static constexpr size_t kMost = 4;
  std::array<ptrdiff_t, kMost> offsets_{};
  size_t moves_ = 0;
  size_t index_ = 0;  // of the loop for these lengths among those of so many moves
  BothWays<Loop> loops_{};
};

}  // namespace detmpi
