#include <algorithm>
#include <cmath>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "eigen.hpp"
#include "output.hpp"
#include "points.hpp"
#include "product.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr pca [OPTION...] [FILE...]
Mean and covariance of the columns of a matrix, whose rows are observations: a line
`mean<tab>numbers`, for each column a line `covariance<tab>numbers` of its covariances with
all columns (sums over the rows, divided by rows - 1), numbers with blanks between them.

      --components=N    also the N principal components: lines `component<tab>variance<tab>
                        numbers` of eigenvalue and eigenvector, the largest first
      --format=FORMAT   text (the default): a line of numbers for each row; f64: doubles
      --columns=C       numbers of a row (default for text: as many as its first line has)
)";

// Within a piece, plain sums: exact ones take many times as long.
struct ColumnSums : MapReduce<ColumnSums, uint32_t, std::vector<double>, SumOfEach<double>> {
  size_t columns;
  explicit ColumnSums(size_t of) : columns(of) {}

  void map(const Piece& piece, auto& emit) const {
    const auto numbers = doubles_of(piece.data);
    std::vector<double> sums(columns);
    for (size_t at = 0; at < numbers.size(); at += columns) {
      for (size_t j = 0; j < columns; ++j) sums[j] += numbers[at + j];
    }
    if (!all_finite(sums)) check_finite(piece, columns);
    emit(uint32_t{0}, sums);
  }
};

// Of each column the sums of the products with itself and the columns behind it, all less their means.
struct Products : MapReduce<Products, uint32_t, std::vector<double>, SumOfEach<double>> {
  const std::vector<double>& means;
  explicit Products(const std::vector<double>& of) : means(of) {}

  void map(const Piece& piece, auto& emit) const {
    const size_t columns = means.size(), all = piece.data.size() / (columns * sizeof(double));
    sums_.assign(columns * columns, 0);
    // Some rows at a time, so that they stay in the cache.
    constexpr size_t kRows = 256;
    for (size_t from = 0; from < all; from += kRows) {
      add_rows(doubles_of(piece.data).subspan(from * columns, std::min(kRows, all - from) * columns));
    }
    for (uint32_t i = 0; i < columns && all > 0; ++i) {
      const double* const row = sums_.data() + i * columns;
      emit(i, std::vector<double>(row + i, row + columns));
    }
  }

 private:
  void add_rows(std::span<const double> numbers) const {
    const size_t columns = means.size(), rows = numbers.size() / columns;
    centred_.resize(numbers.size());
    turned_.resize(numbers.size());
    for (size_t row = 0; row < rows; ++row) {
      for (size_t j = 0; j < columns; ++j) {
        centred_[row * columns + j] = turned_[j * rows + row] = numbers[row * columns + j] - means[j];
      }
    }
    // What is left of the diagonal is not needed: some columns at a time, from theirs on.
    constexpr size_t kColumns = 32;
    for (size_t i = 0; i < columns; i += kColumns) {
      add_product({turned_.data() + i * rows, rows}, {centred_.data() + i, columns}, sums_.data() + i * columns + i,
                  columns, std::min(kColumns, columns - i), rows, columns - i);
    }
  }

  // A worker keeps their memory from piece to piece: new pages take longer than what is done in them.
  mutable std::vector<double> sums_, centred_, turned_;
};

// Every piece gives half of a matrix: of a large input larger ones, so that they do not outgrow it; of a small input
// some at least, for the workers. A function of the input and not of the workers.
uint64_t piece_bytes_for(const Points& points) {
  const uint64_t enough = std::max(kPieceBytes, 2 * points.dimensions() * points.dimensions() * sizeof(double));
  return std::clamp(points.input().bytes() / 64, kPieceBytes, enough);
}

class Covariance {
 public:
  Covariance(Points& points, const Options& options) : columns_(points.dimensions()), rows_(points.count()) {
    if (rows_ < 2) throw JobError("there are " + std::to_string(rows_) + " rows, fewer than two");
    points.cut(piece_bytes_for(points));
    const auto divisor = static_cast<double>(rows_ - 1);
    add_statistics(
        ColumnSums(columns_).run_each(points.input(), options,
                                      [&](uint32_t, std::vector<double>&& sums) { means_ = std::move(sums); }),
        statistics_);
    check_means();
    for (double& mean : means_) mean /= static_cast<double>(rows_);
    matrix_.resize(columns_ * columns_);
    const auto take = [&](uint32_t i, const std::vector<double>& sums) {
      for (size_t j = 0; j < sums.size(); ++j) at(i, i + j) = at(i + j, i) = sums[j] / divisor;
    };
    add_statistics(Products(means_).run_each(points.input(), options, take), statistics_);
    check_matrix();
  }

  void write(Output& output) const {
    write_line("mean\t", means_, output);
    for (size_t i = 0; i < columns_; ++i) {
      write_line("covariance\t", std::span(matrix_).subspan(i * columns_, columns_), output);
    }
  }
  void write_components(uint64_t count, Output& output) const {
    const auto components = components_of(matrix_, columns_);
    for (const Component& component : components) {
      if (std::isfinite(component.value) && all_finite(component.vector)) continue;
      throw JobError("the covariances are too large for principal components");
    }
    for (size_t i = 0; i < std::min<uint64_t>(count, columns_); ++i) {
      std::string start = "component\t";
      append_number(components[i].value, start);
      write_line(start + '\t', components[i].vector, output);
    }
  }
  const Statistics& statistics() const { return statistics_; }

 private:
  static void write_line(std::string line, std::span<const double> numbers, Output& output) {
    append_numbers(numbers, line);
    output.write(line + '\n');
  }
  // The numbers are finite, so what is not comes of their size.
  void check_means() const {
    for (size_t i = 0; i < columns_; ++i) {
      if (std::isfinite(means_[i])) continue;
      throw JobError("the numbers of column " + std::to_string(i + 1) + " are too large: their sum is not finite");
    }
  }
  // Of two columns the covariance is no larger than the greater of their variances.
  void check_matrix() const {
    for (size_t i = 0; i < columns_; ++i) {
      if (std::isfinite(matrix_[i * columns_ + i])) continue;
      throw JobError("the numbers of column " + std::to_string(i + 1) + " are too large: their variance is not finite");
    }
  }
  double& at(size_t i, size_t j) { return matrix_[i * columns_ + j]; }

  size_t columns_;
  uint64_t rows_;
  std::vector<double> means_, matrix_;
  Statistics statistics_;
};

}  // namespace

int pca(int argc, char** argv) {
  uint64_t columns = 0, components = 0;
  Format format = Format::kText;
  const Arguments arguments = parse(
      argc, argv, kHelp,
      {{"columns", true, [&](const std::string& text) { columns = parse_count("columns", text, 1, 1 << 16); }},
       {"components", true, [&](const std::string& text) { components = parse_count("components", text, 0, 1 << 16); }},
       {"format", true, [&](const std::string& text) {
          format = parse_format("format", text, {Format::kText, Format::kF64});
        }}});
  if (format == Format::kF64 && columns == 0) throw UsageError{"--format=f64 needs --columns"};
  Output output(arguments);
  Statistics statistics;
  Points points = format == Format::kText ? Points::of_text(arguments, columns, statistics)
                                          : Points::of_doubles(arguments, columns);
  const Covariance covariance(points, without_skipping(arguments.options));
  covariance.write(output);
  if (components > 0) covariance.write_components(components, output);
  add_statistics(covariance.statistics(), statistics);
  finish({&output}, arguments, "pca", statistics);
  return 0;
}

}  // namespace dmr::command
