// Arrays over a cell and its halo.
//
//   A row is the points of one (j, k) along x, for one value. The rows of all values of a (j, k) stand one after
//   another, then those of (j+1, k), and so on: what belongs to a point is close together, and inner loops run along x.
//
//      | pad | value 0: points 0 .. nx-1 | pad | value 1: points 0 .. nx-1 | pad | ...
//
//   Local points run from 0; the halo has two layers: -2, -1 and n, n+1. Along x the halo is in the pads: a pad begins
//   with points nx, nx+1 of the row before it and ends with points -2, -1 of the row after it. Point 0 is aligned to a
//   cache line. Loops run over `lanes` points, whole cache lines, rather than over the interior: where the result must
//   be 0 it is 0 times something finite, in the pads too, and a row takes fewer and faster steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "partition.hpp"

namespace npb::multipartition {

inline constexpr int kHalo = 2;

// Memory for numbers, aligned to cache lines.
class Buffer {
 public:
  static constexpr std::size_t kLine = 64;

  Buffer() = default;

  Buffer(std::size_t size, double initial) : size_(size) {
    const std::size_t bytes = (size * sizeof(double) + kLine - 1) / kLine * kLine;
    data_.reset(static_cast<double*>(std::aligned_alloc(kLine, bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
    for (std::size_t i = 0; i < size; ++i) data_[i] = initial;
  }

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(double* memory) const { std::free(memory); }
  };
  std::unique_ptr<double[], Free> data_;
  std::size_t size_ = 0;
};

// The lengths of a cell along x, y, z, and from a row to the next.
struct Box {
  static constexpr int kPad = Buffer::kLine / sizeof(double);
  static_assert(kPad >= 2 * kHalo);

  explicit Box(const Cell& cell)
      : size{cell.points[kX].size(), cell.points[kY].size(), cell.points[kZ].size()},
        lanes((size[kX] + kPad - 1) / kPad * kPad),
        pitch(lanes + kPad) {}

  std::array<int, 3> size;
  int lanes;
  std::ptrdiff_t pitch;
};

template <int kValues>
class Field {
 public:
  Field(const Box& box, double initial)
      : pitch_(box.pitch),
        stride_{1, kValues * box.pitch, kValues * box.pitch * (box.size[kY] + 2 * kHalo)},
        origin_(Box::kPad + kHalo * (stride_[kY] + stride_[kZ])),
        buffer_(static_cast<std::size_t>(stride_[kZ] * (box.size[kZ] + 2 * kHalo) + Box::kPad), initial) {}

  // The row of value 0 at (j, k), from local point 0 on; value m follows at m * pitch().
  double* row(int j, int k) { return buffer_.data() + offset(j, k); }
  const double* row(int j, int k) const { return buffer_.data() + offset(j, k); }

  // Sets one value of all points, halo and pads included.
  void fill(int m, double value) {
    const auto size = static_cast<std::ptrdiff_t>(buffer_.size());
    for (std::ptrdiff_t row = Box::kPad + m * pitch_; row < size; row += stride_[kY])
      std::fill_n(buffer_.data() + row, pitch_, value);
  }

  std::ptrdiff_t pitch() const { return pitch_; }
  std::ptrdiff_t stride(Axis axis) const { return stride_[axis]; }  // to the next point along the axis

 private:
  std::ptrdiff_t offset(int j, int k) const { return origin_ + j * stride_[kY] + k * stride_[kZ]; }

  std::ptrdiff_t pitch_;
  std::array<std::ptrdiff_t, 3> stride_;
  std::ptrdiff_t origin_;
  Buffer buffer_;
};

}  // namespace npb::multipartition
