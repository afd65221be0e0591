// dmr pca: mean and covariance of the columns of a matrix, and its principal components.
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

constexpr size_t kColumnsAtOnce = 32;

// Some rows of a matrix less the means, so few that they stay in the cache.
class CentredRows {
 public:
  static constexpr size_t kMost = 256;

  // Of a piece of several columns those from `from` on. Of these the first `turned` may be factors on the left.
  void load(std::span<const double> numbers, const std::vector<double>& means, size_t from, size_t turned) {
    const size_t columns = means.size();
    rows_ = numbers.size() / columns, width_ = columns - from;
    // Their memory is kept from piece to piece: new pages take longer than what is done in them.
    centred_.resize(rows_ * width_);
    turned_.resize(rows_ * turned);
    for (size_t row = 0; row < rows_; ++row) {
      const double* const number = numbers.data() + row * columns + from;
      double* const centred = centred_.data() + row * width_;
      for (size_t j = 0; j < width_; ++j) centred[j] = number[j] - means[from + j];
      for (size_t j = 0; j < turned; ++j) turned_[j * rows_ + row] = centred[j];
    }
  }
  // Adds to a matrix of `stride` columns the products of columns `first` to `first + count`, counted from the first
  // that was loaded, with themselves and all behind them. sums: where the first product with itself belongs.
  void add_products(size_t first, size_t count, double* sums, size_t stride) const {
    add_product({turned_.data() + first * rows_, rows_}, {centred_.data() + first, width_}, sums, stride, count, rows_,
                width_ - first);
  }

 private:
  size_t rows_ = 0, width_ = 0;
  std::vector<double> centred_, turned_;
};

// Calls take(numbers) with some rows at a time.
template <typename Take>
void each_block_of_rows(std::string_view data, size_t columns, Take&& take) {
  const auto numbers = doubles_of(data);
  const size_t most = CentredRows::kMost * columns;
  for (size_t at = 0; at < numbers.size(); at += most) take(numbers.subspan(at, std::min(most, numbers.size() - at)));
}

// Of each column the sums of the products with itself and the columns behind it, all less their means. A worker goes
// through all columns of its rows.
struct Products : MapReduce<Products, uint32_t, std::vector<double>, SumOfEach<double>> {
  const std::vector<double>& means;
  explicit Products(const std::vector<double>& of) : means(of) {}

  void map(const Piece& piece, auto& emit) const {
    const size_t columns = means.size();
    sums_.assign(columns * columns, 0);
    each_block_of_rows(piece.data, columns, [&](std::span<const double> numbers) {
      rows_.load(numbers, means, 0, columns);
      // What is left of the diagonal is not needed: some columns at a time, from theirs on.
      for (size_t i = 0; i < columns; i += kColumnsAtOnce) {
        rows_.add_products(i, std::min(kColumnsAtOnce, columns - i), sums_.data() + i * columns + i, columns);
      }
    });
    for (uint32_t i = 0; i < columns && !piece.data.empty(); ++i) {
      const double* const row = sums_.data() + i * columns;
      emit(i, std::vector<double>(row + i, row + columns));
    }
  }

 private:
  mutable CentredRows rows_;
  mutable std::vector<double> sums_;
};

// The same sums. A worker goes through all rows of its columns, so nothing is left to be put together.
class ProductsByColumns : public MapReduce<ProductsByColumns, uint32_t, std::vector<double>> {
 public:
  ProductsByColumns(const Input& rows, const std::vector<double>& means) : input_(rows), means_(means) {}

  Input input() const { return Input::numbers((groups() + 1) / 2, 1); }
  // The first columns have the most products and the last ones the least, so two groups go together.
  void map(const Piece& piece, auto& emit) const {
    for (uint64_t group = piece.begin; group < piece.end; ++group) {
      add_group(group, emit);
      if (groups() - 1 - group != group) add_group(groups() - 1 - group, emit);
    }
  }

 private:
  uint64_t groups() const { return (means_.size() + kColumnsAtOnce - 1) / kColumnsAtOnce; }

  void add_group(uint64_t group, auto& emit) const {
    const size_t columns = means_.size(), first = group * kColumnsAtOnce, width = columns - first;
    const size_t count = std::min(kColumnsAtOnce, width);
    sums_.assign(count * width, 0);
    for (uint64_t piece = 0; piece < input_.pieces(); ++piece) {
      each_block_of_rows(input_.piece(piece).data, columns, [&](std::span<const double> numbers) {
        rows_.load(numbers, means_, first, count);
        rows_.add_products(0, count, sums_.data(), width);
      });
    }
    for (size_t i = 0; i < count; ++i) {
      const double* const row = sums_.data() + i * width;
      emit(static_cast<uint32_t>(first + i), std::vector<double>(row + i, row + width));
    }
  }

  const Input& input_;
  const std::vector<double>& means_;
  mutable CentredRows rows_;
  mutable std::vector<double> sums_;
};

// How the work is cut is a function of the input and not of the workers, so that the sums are, too. Where rows are cut,
// every piece gives half of a matrix, which takes long to put together if the piece has fewer rows than columns; where
// columns are cut, all of the input is read for each group of them.
bool cut_columns(const Points& points) {
  return points.dimensions() >= 8 * kColumnsAtOnce && points.count() <= 8 * points.dimensions();
}

// Of a large input larger pieces, so that the halves of matrices do not outgrow it; of a small input some at least, for
// the workers.
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
    if (cut_columns(points)) {
      const ProductsByColumns products(points.input(), means_);
      add_statistics(products.run_each(products.input(), options, take), statistics_);
    } else {
      add_statistics(Products(means_).run_each(points.input(), options, take), statistics_);
    }
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
