// What a problem class of SP or BT consists of.
#pragma once

#include "../cfd/verification.hpp"

namespace npb::multipartition {

struct Problem {
  char problem_class;
  int n;  // points per direction
  int steps;
  double dt;
  cfd::Norms expected;  // after the last step
};

}  // namespace npb::multipartition
