// Fields on a rank's part of the grid, stored by anti-diagonals.
//
// In a sweep a point depends on its neighbours in x, y and z, so the points of an x line must wait for each other.
// The points of an anti-diagonal i + j = d of a plane k need not. They lie next to each other here, so that all inner
// loops, those of the sweeps too, run over contiguous points which are independent:
//
//   one plane k:   d = -4 | comp 0: i = -2 -1 0 .. | comp 1: i = -2 -1 .. | ...
//                  d = -3 | ...
//
// A step in x, y or z, and from one component to the next, is a fixed distance in memory for all points. About half
// of the memory is never used (i and d without a j); the shorter side of the part (x, by the choice of the process
// grid) makes the length of a diagonal, to keep that small.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include "../common/range.hpp"

namespace npb::lu {

// The extent of a rank's part. Local indices start at 0 with its first own point. In x and y there are two ghost
// layers, in z one, which only the fourth difference touches, with a factor of 0.
struct Extent {
  static constexpr int kGhosts = 2;
  static constexpr int kGhostsZ = 1;

  int nx = 0;  // own points
  int ny = 0;
  int nz = 0;
  Range x;  // of these, those in the interior of the whole grid
  Range y;
  Range z;

  int length() const;                                          // of a stored diagonal: one of kLengths
  int diagonals() const { return nx + ny + 4 * kGhosts - 1; }  // per plane, the ghosts' included
  Range interior_diagonals() const { return {x.begin + y.begin, x.end + y.end - 1}; }
  // The i of the interior points of diagonal d.
  Range on_diagonal(int d) const { return {std::max(x.begin, d - y.end + 1), std::min(x.end, d - y.begin + 1)}; }
};

// The inner loops touch so many components at so many neighbours that the distance between components has to be a
// constant for them: as a variable it would cost a pointer for each, more time than the loop itself takes on short
// diagonals. This is the length of a stored diagonal, and there are kernels for each of these; they fit the classes on
// 1, 2, 4 ... ranks.
inline constexpr int kLengths[] = {16, 24, 40, 72, 112, 168};

inline int Extent::length() const {
  const int needed = nx + 2 * kGhosts;
  return *std::find_if(std::begin(kLengths), std::end(kLengths) - 1, [&](int length) { return length >= needed; });
}

// Calls body(std::integral_constant<int, length>()). `length` must be one of kLengths.
template <std::size_t kIndex = 0, typename Body>
void with_length(int length, Body body) {
  if constexpr (kIndex < std::size(kLengths)) {
    if (length == kLengths[kIndex]) body(std::integral_constant<int, kLengths[kIndex]>());
    else with_length<kIndex + 1>(length, body);
  }
}

template <int kComponents>
class Field {
 public:
  // All zero.
  explicit Field(const Extent& extent)
      : component_(extent.length()),
        y_(kComponents * component_),
        z_(y_ * extent.diagonals()),
        origin_(z_ * Extent::kGhostsZ + y_ * 2 * Extent::kGhosts + Extent::kGhosts),
        data_(static_cast<std::size_t>(z_) * (extent.nz + 2 * Extent::kGhostsZ)) {}

  // The first component at a point.
  double* at(int i, int j, int k) { return data_.data() + offset(i, j, k); }
  const double* at(int i, int j, int k) const { return data_.data() + offset(i, j, k); }

  // Distances in memory: to the next component, and to the next point in direction 0, 1, 2 (x, y, z).
  std::ptrdiff_t component() const { return component_; }
  std::ptrdiff_t step(int direction) const { return direction == 0 ? y_ + 1 : direction == 1 ? y_ : z_; }

 private:
  std::ptrdiff_t offset(int i, int j, int k) const { return origin_ + k * z_ + (i + j) * y_ + i; }

  std::ptrdiff_t component_;
  std::ptrdiff_t y_;
  std::ptrdiff_t z_;
  std::ptrdiff_t origin_;
  std::vector<double> data_;
};

// Asks for `count` points of all components to be brought to the cache. The rows of a diagonal are too short for the
// processor to see by itself what comes next. s is the distance between components.
template <int kComponents, int s>
inline void prefetch(const double* first, int count) {
  constexpr int kLine = 64 / sizeof(double);
  for (int m = 0; m < kComponents; ++m)
    for (int p = 0; p < count; p += kLine) __builtin_prefetch(first + m * s + p);
}

// Covers `count` points next to each other: calls body(part) so that it deals with whole vectors only, not with single
// points at the end. The last part reaches back into the one before for that, so body must be one that may be repeated.
template <typename Body>
inline void in_whole_vectors(int count, Body body) {
  constexpr int kVector = 4;
  Range part{0, count < kVector ? count : count - count % kVector};
  for (;;) {
    body(part);
    if (part.end == count) return;
    part = {count - kVector, count};
  }
}

// Calls body(i, j, k) for every point of the box.
template <typename Body>
void for_each_point(Range x, Range y, Range z, Body body) {
  for (int k = z.begin; k < z.end; ++k)
    for (int j = y.begin; j < y.end; ++j)
      for (int i = x.begin; i < x.end; ++i) body(i, j, k);
}

}  // namespace npb::lu
