// `matmul` on threads: the product of two matrices of doubles.
#include "matrix.hpp"

namespace threads {

void matrix_product(size_t threads, Arguments arguments) {
  const auto left = doubles_of(map_file(arguments[0])), right = doubles_of(map_file(arguments[1]));
  const size_t inner = number_of(arguments[2]), rows = left.size() / inner, columns = right.size() / inner;
  Padded a(rows, inner), b(inner, columns), c(rows, columns);
  for (size_t i = 0; i < rows; ++i) std::copy_n(&left[i * inner], inner, a.row(i));
  for (size_t k = 0; k < inner; ++k) std::copy_n(&right[k * columns], columns, b.row(k));
  constexpr size_t kRows = 64, kDepth = 256;  // a part of b that stays in the cache meanwhile
  share_out(threads, c.rows, kRows, [&](size_t, size_t from, size_t to) {
    for (size_t k = 0; k < inner; k += kDepth) {
      for (size_t j = 0; j < c.stride; j += 8) {
        for (size_t i = from; i < to; i += 4) {
          add_four_rows(a.row(i) + k, a.stride, b.row(k) + j, b.stride, c.row(i) + j, c.stride,
                        std::min(kDepth, inner - k), 8);
        }
      }
    }
  });
  for (size_t i = 0; i < rows; ++i) print({reinterpret_cast<const char*>(c.row(i)), columns * sizeof(double)});
}

}  // namespace threads
