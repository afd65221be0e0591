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

// The problem of a class that is among those from `problem` on.
constexpr const Problem& find_problem(const Problem* problem, char problem_class) {
  while (problem->problem_class != problem_class) ++problem;
  return *problem;
}

}  // namespace npb::multipartition
