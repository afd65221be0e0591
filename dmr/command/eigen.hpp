// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's method: rotations that make one number beside the
// diagonal zero, in a fixed order, until all are. The same bits in every run.
#pragma once

#include <cstddef>
#include <vector>

namespace dmr::command {

struct Component {
  double value = 0;            // eigenvalue
  std::vector<double> vector;  // of length 1; its number farthest from zero is positive
};

// All of a matrix of n rows; the largest eigenvalue first.
std::vector<Component> components_of(std::vector<double> matrix, size_t n);

}  // namespace dmr::command
