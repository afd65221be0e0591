// Ranks on a 3-D torus, as in the NPB benchmark MG.
#pragma once

#include "racing.hpp"

namespace racing {

struct Torus {
  int dims[3];
  int here[3];

  // Lines of three and more where possible, so that levels have different neighbours.
  Torus() {
    int left = g_size, rest = g_rank;
    for (int axis = 0; axis < 3; ++axis) {
      int length = std::min(left, 3);
      while (left % length != 0) ++length;
      dims[axis] = axis == 2 ? left : length;
      left /= dims[axis];
      here[axis] = rest % dims[axis];
      rest /= dims[axis];
    }
  }
  int neighbour(int axis, int offset) const {
    int there[3] = {here[0], here[1], here[2]};
    there[axis] = ((there[axis] + offset) % dims[axis] + dims[axis]) % dims[axis];
    return there[0] + dims[0] * (there[1] + dims[1] * there[2]);
  }
};

}  // namespace racing
