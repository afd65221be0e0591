// The inner loops of products of matrices.
#pragma once

#include "common.hpp"
#include "vectors.hpp"

namespace threads {

// c += a * b for 4 rows and `columns` columns, a multiple of 8; the rows of each are `..._stride` numbers apart.
DMR_FOR_EACH_MACHINE inline void add_four_rows(const double* a, size_t a_stride, const double* b, size_t b_stride,
                                               double* c, size_t c_stride, size_t depth, size_t columns) {
  using Four __attribute__((vector_size(32), aligned(8), may_alias)) = double;
  for (size_t j = 0; j < columns; j += 8) {
    Four sum[4][2];
    for (size_t i = 0; i < 4; ++i) {
      for (size_t half = 0; half < 2; ++half) {
        sum[i][half] = *reinterpret_cast<const Four*>(c + i * c_stride + j + 4 * half);
      }
    }
    for (size_t k = 0; k < depth; ++k) {
      for (size_t i = 0; i < 4; ++i) {
        for (size_t half = 0; half < 2; ++half) {
          sum[i][half] += a[i * a_stride + k] * *reinterpret_cast<const Four*>(b + k * b_stride + j + 4 * half);
        }
      }
    }
    for (size_t i = 0; i < 4; ++i) {
      for (size_t half = 0; half < 2; ++half) {
        *reinterpret_cast<Four*>(c + i * c_stride + j + 4 * half) = sum[i][half];
      }
    }
  }
}

// A matrix whose sides are filled up with zeros to multiples of 8.
struct Padded {
  size_t rows, columns, stride;
  std::vector<double> numbers;

  Padded(size_t of_rows, size_t of_columns)
      : rows((of_rows + 7) / 8 * 8), columns(of_columns), stride((of_columns + 7) / 8 * 8), numbers(rows * stride) {}
  double* row(size_t i) { return numbers.data() + i * stride; }
};

}  // namespace threads
