// Where the data of one element of a datatype lie: a normalised tree of loops and blocks, in the order of the
// type map.
//
//   kRun       count blocks of `block` bytes, `stride` apart
//   kBlocks    blocks at any offsets; `block` is their common length, 0 if lengths differ
//   kLoop      count copies of a child, `stride` apart
//   kSequence  children at any offsets
//
// Adjacent blocks are merged as the tree is built, so that a type that describes consecutive memory is one
// block. Trees are immutable and shared between types.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace detmpi {

struct Layout;
using LayoutPtr = std::shared_ptr<const Layout>;

struct Layout {
  enum class Kind { kRun, kBlocks, kLoop, kSequence };
  struct Part {
    ptrdiff_t offset;
    size_t start;     // bytes of data before it
    size_t length;    // bytes of data
    LayoutPtr child;  // kSequence
  };

  Kind kind = Kind::kRun;
  size_t bytes = 0;  // of data
  ptrdiff_t offset = 0;
  size_t count = 0;
  size_t block = 0;
  ptrdiff_t stride = 0;
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

// Copies bytes [position, position + n) of the data of a sequence of elements, `extent` apart, to or from
// `packed`.
void layout_pack(const Layout& layout, ptrdiff_t extent, const char* base, size_t position, char* packed, size_t n);
void layout_unpack(const Layout& layout, ptrdiff_t extent, char* base, size_t position, const char* packed, size_t n);

// Address arithmetic that is defined for MPI_BOTTOM too.
inline char* place(const char* base, ptrdiff_t offset) {
  return reinterpret_cast<char*>(reinterpret_cast<size_t>(base) + static_cast<size_t>(offset));
}

}  // namespace detmpi
