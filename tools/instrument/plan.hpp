// Where a function counts, and how much: decided before anything is inserted.
//
// Counting in every basic block would cost too much. What is counted instead:
//
//   a loop whose number of iterations is known before it begins, and from which no MPI call can be reached: once,
//       before it, iterations * what one of them weighs. It is left untouched, so it is vectorised like any other. If
//       the number depends on nothing that an enclosing loop of this kind changes, it is part of that loop's count.
//   any other loop: at its head, what one iteration weighs
//   the rest of the function: at its beginning
//
// A block that does not run every time counts by the compiler's static estimate of how often it does, so that small
// branches cost nothing; a heavy one counts for itself. Estimates depend on nothing but the program: the count is not
// exact, but it is the same in every run.
#pragma once

#include <vector>

#include "gcc.hpp"

namespace instrument {

struct Count {
  // Where: in the block, behind its labels; or, if there is no block, on the edge.
  basic_block block;
  edge on;
  // How much: the constant, and a value of type uint64 if there is one.
  int64_t units;
  tree expression;
  bool check;  // whether the work may have to be taken here
};

// Needs loops with preheaders and simple latches, dominators, and scalar evolutions.
std::vector<Count> plan(function* fn);

}  // namespace instrument
