// Products of dense matrices, row by row in memory.
#pragma once

#include <cstddef>

namespace dmr::command {

// A part of a matrix: its rows are `stride` numbers apart.
struct MatrixView {
  const double* numbers;
  size_t stride;
};

// c += a * b, where a has `rows` rows of `depth` numbers, and b `depth` rows of `columns`. To each number of c its
// products are added one by one, from the first to the last: the result does not depend on how the work is cut.
void add_product(MatrixView a, MatrixView b, double* c, size_t c_stride, size_t rows, size_t depth, size_t columns);

}  // namespace dmr::command
