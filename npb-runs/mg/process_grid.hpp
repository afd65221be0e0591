// How MG lays its grids over the ranks: blocks in three dimensions, px * py * pz of them.
//
//   rank = ix + px * (iy + py * iz). Every level of the multigrid is divided among the same ranks. Where a level
//   has fewer points in a direction than there are ranks, every (ranks / points)-th rank owns one point and the
//   others own none.
//
// Pure arithmetic, no communication: every rank can compute every other rank's place.
#pragma once

#include <array>
#include <optional>

#include "../common/range.hpp"

namespace npb::mg {

enum Axis { kX, kY, kZ };
inline constexpr Axis kAxes[] = {kX, kY, kZ};

// What one rank owns of one level, and whom it exchanges layers with there.
struct LevelPart {
  int points;                  // of the level, per direction
  std::array<Range, 3> owned;  // points of the level, per axis
  std::array<int, 3> before;   // the neighbour in the negative direction. May be the rank itself.
  std::array<int, 3> after;    // and in the positive direction

  std::array<int, 3> extent() const { return {owned[kX].size(), owned[kY].size(), owned[kZ].size()}; }
  bool owns_along(Axis axis) const { return owned[axis].size() > 0; }

  // A rank without points in some direction takes no part in the level. Its neighbours mean nothing.
  bool is_active() const { return owns_along(kX) && owns_along(kY) && owns_along(kZ); }
};

class ProcessGrid {
 public:
  // Nothing when `ranks` is not a power of two, or so large that a rank would own less than two points per
  // direction of a grid with `points`. 0 <= rank < ranks.
  static std::optional<ProcessGrid> try_create(int points, int ranks, int rank);

  int ranks() const { return processes_[kX] * processes_[kY] * processes_[kZ]; }
  int rank() const { return rank_at(coordinate_); }
  int processes(Axis axis) const { return processes_[axis]; }
  int coordinate(Axis axis) const { return coordinate_[axis]; }

  // This rank's part of the level with `points` points per direction.
  LevelPart part(int points) const;

 private:
  ProcessGrid(std::array<int, 3> processes, int rank);

  int rank_at(const std::array<int, 3>& coordinate) const {
    return coordinate[kX] + processes_[kX] * (coordinate[kY] + processes_[kY] * coordinate[kZ]);
  }
  int neighbour(Axis axis, int distance) const;

  std::array<int, 3> processes_;
  std::array<int, 3> coordinate_;
};

}  // namespace npb::mg
