// The multi-partition decomposition of SP and BT: q x q x q cells on q^2 ranks, q cells per rank, one in every slab of
// every direction.
//
//   Rank m has x0 = m mod q, y0 = m div q. Its cell c = 0 .. q-1 lies at ((x0 + c) mod q, (y0 - c) mod q, c).
//
// So a sweep along a direction finds work for every rank in each of its q stages, and all the cells that follow a
// rank's cells along a direction belong to one rank. Pure arithmetic, no communication.
#pragma once

#include <array>
#include <optional>

#include "../common/range.hpp"

namespace npb::multipartition {

enum Axis { kX, kY, kZ };
inline constexpr Axis kAxes[] = {kX, kY, kZ};

struct Cell {
  std::array<int, 3> at;        // its place among the cells
  std::array<Range, 3> points;  // of the grid
};

class Partition {
 public:
  static constexpr int kMinCellSize = 3;  // the halo of two layers must come from one neighbour

  // Of a grid of n points per direction. Nothing when `ranks` is no square or cells would be too small.
  static std::optional<Partition> try_create(int n, int ranks, int rank);

  int n() const { return n_; }
  int cells() const { return q_; }  // per rank; also the number of slabs in each direction

  Cell cell(int index) const;

  // The number of this rank's cell in a slab: the cell whose place along the axis is `slab`.
  int cell_in_slab(Axis axis, int slab) const;

  // The ranks of the neighbours of all cells along an axis, cyclically. With q = 2 they are the same.
  int predecessor(Axis axis) const;
  int successor(Axis axis) const;

 private:
  Partition(int n, int q, int rank) : n_(n), q_(q), x0_(rank % q), y0_(rank / q) {}

  int rank_at(int x0, int y0) const { return wrap(x0) + q_ * wrap(y0); }
  int wrap(int i) const { return (i + q_) % q_; }

  int n_;
  int q_;
  int x0_;
  int y0_;
};

}  // namespace npb::multipartition
