#include "kernel.hpp"

#include <algorithm>
#include <cmath>

#include "../common/random.hpp"

namespace npb::mm {
namespace {

// A tile of C of this size stays in registers while the inner loop runs over k.
constexpr int kTileRows = 4;
constexpr int kTileColumns = 8;
// Rows of B per pass, so that the panel of B in use stays in the cache.
constexpr int kDepth = 256;

// c += a b on one full tile, k from 0 to depth.
void multiply_tile(const double* __restrict a, const double* __restrict b, double* __restrict c, int depth,
                   std::size_t n) {
  double sum[kTileRows][kTileColumns] = {};
  for (int k = 0; k < depth; ++k)
    for (int i = 0; i < kTileRows; ++i)
      for (int j = 0; j < kTileColumns; ++j) sum[i][j] += a[i * n + k] * b[k * kTileColumns + j];
  for (int i = 0; i < kTileRows; ++i)
    for (int j = 0; j < kTileColumns; ++j) c[i * n + j] += sum[i][j];
}

// The same where the tile is cut off by the border.
void multiply_border(const double* a, const double* b, double* c, int depth, std::size_t n, int rows, int columns) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < depth; ++k)
      for (int j = 0; j < columns; ++j) c[i * n + j] += a[i * n + k] * b[k * kTileColumns + j];
}

// Copies a strip of B, `columns` wide, to consecutive memory.
void pack_strip(const double* b, std::size_t n, int depth, int columns, double* strip) {
  for (int k = 0; k < depth; ++k) std::copy_n(b + k * n, columns, strip + k * kTileColumns);
}

std::vector<std::int64_t> times(std::span<const double> matrix, const std::vector<std::int64_t>& x) {
  const std::size_t n = x.size();
  std::vector<std::int64_t> y(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) y[i] += static_cast<std::int64_t>(matrix[i * n + k]) * x[k];
  return y;
}

}  // namespace

std::vector<double> make_operand(Operand which, int n) {
  std::vector<double> matrix(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  Random random;
  if (which == Operand::kB) random.skip(matrix.size());  // A took that many
  for (double& value : matrix) value = static_cast<int>(random.next() * (2 * kMaxEntry + 1)) - kMaxEntry;
  return matrix;
}

void multiply(const double* a, const double* b, double* c, int rows, int n) {
  const auto stride = static_cast<std::size_t>(n);
  std::fill_n(c, static_cast<std::size_t>(rows) * stride, 0.0);
  std::vector<double> strip(static_cast<std::size_t>(kDepth) * kTileColumns);
  for (int k = 0; k < n; k += kDepth) {
    const int depth = std::min(kDepth, n - k);
    for (int j = 0; j < n; j += kTileColumns) {
      const int columns = std::min(kTileColumns, n - j);
      pack_strip(b + k * stride + j, stride, depth, columns, strip.data());
      for (int i = 0; i < rows; i += kTileRows) {
        const int height = std::min(kTileRows, rows - i);
        const double* from = a + i * stride + k;
        double* to = c + i * stride + j;
        if (height == kTileRows && columns == kTileColumns) multiply_tile(from, strip.data(), to, depth, stride);
        else multiply_border(from, strip.data(), to, depth, stride, height, columns);
      }
    }
  }
}

bool is_product(std::span<const double> a, std::span<const double> b, std::span<const double> c, int n) {
  constexpr int kVectors = 2;
  constexpr double kRange = 65536;  // |A B x| <= (8 n)^2 2^16 < 2^51 for n <= kMaxOrder
  const double largest = static_cast<double>(kMaxEntry) * kMaxEntry * n;
  for (const double value : c)  // also rules out NaN and what would overflow below
    if (!(std::fabs(value) <= largest) || value != std::trunc(value)) return false;
  Random random;
  for (int round = 0; round < kVectors; ++round) {
    std::vector<std::int64_t> x(static_cast<std::size_t>(n));
    for (std::int64_t& value : x) value = static_cast<std::int64_t>(random.next() * kRange);
    if (times(c, x) != times(a, times(b, x))) return false;
  }
  return true;
}

std::uint64_t hash_bytes(std::span<const double> values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : std::as_bytes(values)) {
    hash ^= static_cast<std::uint64_t>(byte);
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace npb::mm
