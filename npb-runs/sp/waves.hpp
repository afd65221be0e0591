// The transformations between the variables of the equations and their waves (characteristic variables) along x, y, z,
// in place in the increment. Each is the product of a matrix and the inverse of another (the Pulliam-Chaussee
// diagonalisation), which between two directions leaves constants only.
#pragma once

#include "../multipartition/cell_data.hpp"
#include "pentadiagonal.hpp"

namespace npb::sp {

// From the equations' variables to the waves along x, in a row.
void to_x_waves(multipartition::CellData& cell, int j, int k);

// Between waves, at positions `rows` of a bundle of lines.
void x_to_y_waves(const Lines& lines, Range rows);
void y_to_z_waves(const Lines& lines, Range rows);

// From the waves along z to the equations' variables, and adds the result to the solution: the end of a time step.
void from_z_waves_and_add(multipartition::CellData& cell, int j, int k);

}  // namespace npb::sp
