// Loops over elements of a few short blocks, such as structures: each element's blocks are copied with moves whose
// lengths the compiler knows.
#pragma once

#include <array>
#include <cstddef>

namespace detmpi {

// How an element is copied: its blocks cut into moves, in their order.
class ElementMoves {
 public:
  // The next block. False: it takes other moves, or more of them, than there are loops for.
  bool add(ptrdiff_t offset, size_t length);
  // All blocks have been added.
  void choose_loops();

  // Whether there are loops.
  explicit operator bool() const { return pack_ != nullptr; }
  // `count` elements, `stride` apart.
  void pack(char* typed, ptrdiff_t stride, size_t count, char* packed) const {
    pack_(offsets_.data(), typed, stride, count, packed);
  }
  void unpack(char* typed, ptrdiff_t stride, size_t count, char* packed) const {
    unpack_(offsets_.data(), typed, stride, count, packed);
  }

  using Loop = void (*)(const ptrdiff_t* offsets, char* typed, ptrdiff_t stride, size_t count, char* packed);

 private:
  static constexpr size_t kMost = 4;
  std::array<ptrdiff_t, kMost> offsets_{};
  size_t moves_ = 0;
  size_t index_ = 0;  // of the loop for these lengths among those of so many moves
  Loop pack_ = nullptr;
  Loop unpack_ = nullptr;
};

}  // namespace detmpi
