// Loops over blocks of one length, somewhere in memory on one side and packed on the other. For each length there are
// loops of their own, which a layout chooses once, when it is made.
#pragma once

#include <cstddef>

namespace detmpi {

// Rows of blocks. In the packed bytes a block comes `step` bytes after the one before it, in the next row too.
struct Rows {
  size_t rows;
  ptrdiff_t row_stride;
  size_t blocks;  // of a row
  ptrdiff_t stride;
  size_t block;  // its length
  size_t step;
};

using RowsLoop = void (*)(const Rows& rows, char* typed, char* packed);

// Of one direction.
struct RowsLoops {
  RowsLoop near;    // step == block
  RowsLoop far;     // the same, and fetches what comes later into the caches: for blocks that are not there, and lie so
                    // far apart that the processor does not see a stream
  RowsLoop spread;  // any step
};

template <class T>
struct BothWays {
  T pack, unpack;

  template <class Way>
  const T& of() const {
    return Way::kPacks ? pack : unpack;
  }
};

using BlockLoops = BothWays<RowsLoops>;

const BlockLoops& block_loops(size_t length);

}  // namespace detmpi
