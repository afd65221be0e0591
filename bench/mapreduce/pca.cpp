// `pca` on threads: mean and covariance of the columns of a matrix.
#include "matrix.hpp"

namespace threads {

namespace {

// Rows behind rows.
struct Table {
  std::span<const double> numbers;
  size_t rows, columns;
  double at(size_t row, size_t column) const { return numbers[row * columns + column]; }
};

std::vector<double> mean_of(const Table& table, size_t threads) {
  std::vector<std::vector<double>> sums(threads, std::vector<double>(table.columns));
  share_out(threads, table.rows, 1 << 10, [&](size_t thread, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      for (size_t j = 0; j < table.columns; ++j) sums[thread][j] += table.at(i, j);
    }
  });
  std::vector<double> mean(table.columns);
  for (const auto& of_thread : sums) {
    for (size_t j = 0; j < table.columns; ++j) mean[j] += of_thread[j] / static_cast<double>(table.rows);
  }
  return mean;
}

// Of columns less their means: right of the diagonal and on it.
Padded products_of(const Table& table, const std::vector<double>& mean, size_t threads) {
  const size_t rows = table.rows, columns = table.columns;
  Padded centred(rows, columns), turned(columns, rows), product(columns, columns);
  share_out(threads, rows, 64, [&](size_t, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      for (size_t j = 0; j < columns; ++j) turned.row(j)[i] = centred.row(i)[j] = table.at(i, j) - mean[j];
    }
  });
  // In one address space the rows of the result can be shared out: there is nothing to add up between threads.
  constexpr size_t kDepth = 256;
  share_out(threads, product.rows, 8, [&](size_t, size_t from, size_t to) {
    for (size_t k = 0; k < rows; k += kDepth) {
      for (size_t i = from; i < to; i += 4) {
        add_four_rows(turned.row(i) + k, turned.stride, centred.row(k) + from, centred.stride, product.row(i) + from,
                      product.stride, std::min(kDepth, rows - k), product.stride - from);
      }
    }
  });
  return product;
}

}  // namespace

void pca(size_t threads, Arguments arguments) {
  const auto numbers = doubles_of(map_file(arguments[0]));
  const size_t columns = number_of(arguments[1]);
  const Table table{numbers, numbers.size() / columns, columns};
  const std::vector<double> mean = mean_of(table, threads);
  Padded product = products_of(table, mean, threads);

  std::string out = "mean\t";
  append_numbers(mean, out);
  for (size_t i = 0; i < columns; ++i) {
    out += "\ncovariance\t";
    for (size_t j = 0; j < columns; ++j) {
      if (j > 0) out += ' ';
      append_number(product.row(std::min(i, j))[std::max(i, j)] / static_cast<double>(table.rows - 1), out);
    }
  }
  print(out + '\n');
}

}  // namespace threads
