// The values of a rank's block of a grid, with one layer of ghost points around it.
//
// Indices are local: 0 is the lower ghost layer, 1 .. extent(axis) are the rank's own points, extent(axis) + 1 is
// the upper ghost layer. x is contiguous.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "process_grid.hpp"

namespace npb::mg {

class Field {
 public:
  // All zero.
  explicit Field(const std::array<int, 3>& extent)
      : extent_(extent), values_(length(extent[kX]) * length(extent[kY]) * length(extent[kZ])) {}

  int extent(Axis axis) const { return extent_[axis]; }

  // The line of extent(kX) + 2 points along x that starts at (0, j, k). Lines of one k follow each other.
  double* row(int j, int k) { return values_.data() + offset(j, k); }
  const double* row(int j, int k) const { return values_.data() + offset(j, k); }

  // Points of a line and of a plane, ghosts included.
  std::size_t row_length() const { return length(extent_[kX]); }
  std::size_t plane_length() const { return length(extent_[kX]) * length(extent_[kY]); }

  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }

 private:
  static std::size_t length(int extent) { return static_cast<std::size_t>(extent) + 2; }
  std::size_t offset(int j, int k) const {
    return row_length() * (static_cast<std::size_t>(j) + length(extent_[kY]) * static_cast<std::size_t>(k));
  }

  std::array<int, 3> extent_;
  std::vector<double> values_;
};

}  // namespace npb::mg
