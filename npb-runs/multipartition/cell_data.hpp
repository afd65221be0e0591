// What a rank holds of one of its cells.
#pragma once

#include "../cfd/constants.hpp"
#include "field.hpp"
#include "partition.hpp"

namespace npb::multipartition {

// Values derived from the solution at a point. They are those of the beginning of the time step.
enum Primitive {
  kInverseDensity,
  kVelocity,                 // three of them
  kKinetic = kVelocity + 3,  // half the square of the velocity
  kPressure,
  kSound,  // speed of sound
  kPrimitives
};

constexpr int velocity(int axis) { return kVelocity + axis; }

struct CellData {
  CellData(const Cell& cell, int n)
      : place(cell), box(cell), solution(box, 1.0), increment(box, 0.0), forcing(box, 0.0), primitives(box, 1.0) {
    for (const Axis axis : kAxes) {
      const Range points = place.points[axis];
      interior[axis] = {points.begin == 0 ? 1 : 0, points.size() - (points.end == n ? 1 : 0)};
    }
    for (int m = 1; m <= 3; ++m) solution.fill(m, 0.0);
  }

  Cell place;
  Box box;
  std::array<Range, 3> interior;  // local points that do not lie on a face of the grid

  // The halo's edges and corners are never filled, nor are the pads and the halo outside the grid. They hold a fluid at
  // rest, so that whole rows can be computed.
  Field<cfd::kComponents> solution;

  // First dt times the residual, then what the sweeps make of it, at last what a step adds to the solution. It is 0 on
  // the faces of the grid and in the pads. The sweeps along y and z keep what neighbours send in its halo.
  Field<cfd::kComponents> increment;
  Field<cfd::kComponents> forcing;
  Field<kPrimitives> primitives;  // with one layer of halo
};

}  // namespace npb::multipartition
