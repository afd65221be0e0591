#include "product.hpp"

#include <algorithm>
#include <array>

#include "vectors.hpp"

namespace dmr::command {

namespace {

// A tile of c stays in registers while its products are added up.
constexpr size_t kTileRows = 4, kTileColumns = 8;
// Of so many rows of b at a time a strip, as wide as a tile, lies in the nearest cache.
constexpr size_t kDepth = 256;
using Strip = std::array<double, kDepth * kTileColumns>;

// Columns that b does not have are zeros; nothing is made of them.
void pack(MatrixView b, size_t depth, size_t columns, Strip& strip) {
  for (size_t k = 0; k < depth; ++k) {
    double* const to = strip.data() + k * kTileColumns;
    std::copy_n(b.numbers + k * b.stride, columns, to);
    std::fill(to + columns, to + kTileColumns, 0.0);
  }
}

// Four numbers at once, wherever they lie. Written out because the compiler would turn the tile round.
using Four __attribute__((vector_size(32), aligned(8), may_alias)) = double;

DMR_FOR_EACH_MACHINE void add_tiles(MatrixView a, const double* strip, double* c, size_t c_stride, size_t tiles,
                                    size_t depth) {
  constexpr size_t kFours = kTileColumns / 4;
  for (; tiles > 0; --tiles, a.numbers += kTileRows * a.stride, c += kTileRows * c_stride) {
    Four sum[kTileRows][kFours];
    for (size_t i = 0; i < kTileRows; ++i) {
      for (size_t j = 0; j < kFours; ++j) sum[i][j] = *reinterpret_cast<const Four*>(c + i * c_stride + 4 * j);
    }
    const auto* b = reinterpret_cast<const Four*>(strip);
    for (size_t k = 0; k < depth; ++k, b += kFours) {
      for (size_t i = 0; i < kTileRows; ++i) {
        for (size_t j = 0; j < kFours; ++j) sum[i][j] += a.numbers[i * a.stride + k] * b[j];
      }
    }
    for (size_t i = 0; i < kTileRows; ++i) {
      for (size_t j = 0; j < kFours; ++j) *reinterpret_cast<Four*>(c + i * c_stride + 4 * j) = sum[i][j];
    }
  }
}

// Where a tile is cut off by the border.
void add_border(MatrixView a, const double* strip, double* c, size_t c_stride, size_t rows, size_t depth,
                size_t columns) {
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < depth; ++k) {
      for (size_t j = 0; j < columns; ++j) {
        c[i * c_stride + j] += a.numbers[i * a.stride + k] * strip[k * kTileColumns + j];
      }
    }
  }
}

}  // namespace

void add_product(MatrixView a, MatrixView b, double* c, size_t c_stride, size_t rows, size_t depth, size_t columns) {
  alignas(64) Strip strip;
  for (size_t k = 0; k < depth; k += kDepth) {
    const size_t deep = std::min(kDepth, depth - k);
    for (size_t j = 0; j < columns; j += kTileColumns) {
      const size_t wide = std::min(kTileColumns, columns - j), whole = wide == kTileColumns ? rows / kTileRows : 0;
      pack({b.numbers + k * b.stride + j, b.stride}, deep, wide, strip);
      const MatrixView left = {a.numbers + k, a.stride};
      add_tiles(left, strip.data(), c + j, c_stride, whole, deep);
      const size_t done = whole * kTileRows;
      add_border({left.numbers + done * a.stride, a.stride}, strip.data(), c + done * c_stride + j, c_stride,
                 rows - done, deep, wide);
    }
  }
}

}  // namespace dmr::command
