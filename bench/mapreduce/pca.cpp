#include "matrix.hpp"

namespace threads {

void pca(size_t threads, Arguments arguments) {
  const auto numbers = doubles_of(map_file(arguments[0]));
  const size_t columns = number_of(arguments[1]), rows = numbers.size() / columns;
  std::vector<std::vector<double>> sums(threads, std::vector<double>(columns));
  share_out(threads, rows, 1 << 10, [&](size_t thread, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      for (size_t j = 0; j < columns; ++j) sums[thread][j] += numbers[i * columns + j];
    }
  });
  std::vector<double> mean(columns);
  for (const auto& of_thread : sums) {
    for (size_t j = 0; j < columns; ++j) mean[j] += of_thread[j] / static_cast<double>(rows);
  }

  // In one address space the rows of the result can be shared out: there is nothing to add up between threads.
  Padded centred(rows, columns), turned(columns, rows), product(columns, columns);
  share_out(threads, rows, 64, [&](size_t, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      for (size_t j = 0; j < columns; ++j) {
        turned.row(j)[i] = centred.row(i)[j] = numbers[i * columns + j] - mean[j];
      }
    }
  });
  constexpr size_t kDepth = 256;
  share_out(threads, product.rows, 8, [&](size_t, size_t from, size_t to) {
    for (size_t k = 0; k < rows; k += kDepth) {
      for (size_t i = from; i < to; i += 4) {
        add_four_rows(turned.row(i) + k, turned.stride, centred.row(k) + from, centred.stride, product.row(i) + from,
                      product.stride, std::min(kDepth, rows - k), product.stride - from);
      }
    }
  });

  std::string out = "mean\t";
  append_numbers(mean, out);
  for (size_t i = 0; i < columns; ++i) {
    out += "\ncovariance\t";
    for (size_t j = 0; j < columns; ++j) {
      if (j > 0) out += ' ';
      append_number(product.row(std::min(i, j))[std::max(i, j)] / static_cast<double>(rows - 1), out);
    }
  }
  print(out + '\n');
}

}  // namespace threads
