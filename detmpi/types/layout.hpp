// Where the data of one element of a datatype lie: a normalised tree of loops and blocks, in the order of the
// type map.
//
//   kRun       count blocks of `block` bytes, `stride` apart
//   kBlocks    blocks at any offsets; `block` is their common length, 0 if lengths differ
//   kLoop      count copies of a child, `stride` apart
//   kSequence  children at any offsets
//
// Each layout carries the loops that copy it (block_loops.hpp, element_loops.hpp).
// Adjacent blocks are merged as the tree is built, so that a type that describes consecutive memory is one
// block. Trees are immutable and shared between types.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "block_loops.hpp"
#include "element_loops.hpp"

namespace detmpi {

struct Layout;
using LayoutPtr = std::shared_ptr<const Layout>;

struct Layout {
  enum class Kind { kRun, kBlocks, kLoop, kSequence };
  struct Part {
    ptrdiff_t offset;
    size_t start;             // bytes of data before it
    size_t length;            // bytes of data
    LayoutPtr child;          // kSequence
    const BlockLoops* loops;  // kBlocks
  };

  Kind kind = Kind::kRun;
  size_t bytes = 0;  // of data
  ptrdiff_t offset = 0;
  size_t count = 0;
  size_t block = 0;
  ptrdiff_t stride = 0;
  const BlockLoops* loops = nullptr;  // kRun
  size_t span = 0;                    // kBlocks: from the lowest block to the end of the highest one
  ElementMoves moves;                 // kRun, kBlocks: for elements of this layout, where there are loops for them
  LayoutPtr child;
  std::vector<Part> parts;

  bool one_block() const { return kind == Kind::kRun && count == 1; }
};

struct Placed {
  ptrdiff_t offset;
  LayoutPtr layout;
};

LayoutPtr layout_block(size_t bytes);
LayoutPtr layout_shift(const LayoutPtr& layout, ptrdiff_t offset);
LayoutPtr layout_repeat(const LayoutPtr& layout, size_t count, ptrdiff_t stride);
LayoutPtr layout_sequence(const std::vector<Placed>& parts);

// Copies all the data of `count` elements, `extent` apart, to or from `packed`.
void layout_pack_all(const Layout& layout, ptrdiff_t extent, size_t count, const char* base, char* packed);
void layout_unpack_all(const Layout& layout, ptrdiff_t extent, size_t count, char* base, const char* packed);

// Copies bytes [position, position + n) of the data of a sequence of elements.
void layout_pack(const Layout& layout, ptrdiff_t extent, const char* base, size_t position, char* packed, size_t n);
void layout_unpack(const Layout& layout, ptrdiff_t extent, char* base, size_t position, const char* packed, size_t n);

// Address arithmetic that is defined for MPI_BOTTOM too.
inline char* place(const char* base, ptrdiff_t offset) {
  return reinterpret_cast<char*>(reinterpret_cast<size_t>(base) + static_cast<size_t>(offset));
}

}  // namespace detmpi
