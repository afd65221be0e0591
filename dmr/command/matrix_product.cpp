// dmr matmul: the product of two matrices, each in a file.
#include <algorithm>
#include <array>
#include <optional>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "product.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr matmul [OPTION...] LEFT RIGHT
The product of two matrices, each in a file. To every number of it the products are added
from the first to the last.

      --format=FORMAT   of the files: text (the default): a line of numbers for each row;
                        f64: doubles, row behind row
      --result=FORMAT   of the product: text or f64 (default: as the files)
      --inner=N         columns of LEFT and rows of RIGHT: f64 needs it
      --rows=N          how many rows LEFT must have
      --columns=N       how many columns RIGHT must have
)";

struct Settings {
  std::optional<uint64_t> inner, rows, columns;
  Format format = Format::kText;
  std::optional<Format> result;
};

// The right one, of which every worker needs all.
struct Right {
  Input input;                  // one file
  std::vector<double> of_text;  // its numbers, if it is text
  size_t rows = 0, columns = 0;

  const double* numbers() const { return of_text.empty() ? doubles_of(input.whole(0)).data() : of_text.data(); }
};

[[noreturn]] void fail_shape(const std::string& file, uint64_t got, const char* what, uint64_t wanted) {
  throw JobError(file + ": " + std::to_string(got) + ' ' + what + ", not " + std::to_string(wanted));
}

Right read_text(Input input) {
  Right right{std::move(input), {}, 0, 0};
  each_row_of_file(right.input, 0, [&](std::span<const double> row) {
    if (right.rows++ == 0) right.columns = row.size();
    if (row.size() != right.columns) fail_row(row.size(), right.columns);
    right.of_text.insert(right.of_text.end(), row.begin(), row.end());
  });
  return right;
}

Right read_doubles(Input input, uint64_t inner) {
  const uint64_t of_column = inner * sizeof(double), bytes = input.bytes();
  if (bytes % of_column != 0) {
    throw JobError(input.name(0) + ": " + std::to_string(bytes) + " bytes are no " + std::to_string(inner) +
                   " rows of doubles");
  }
  return {std::move(input), {}, inner, bytes / of_column};
}

Right read_right(const std::string& file, const Settings& settings) {
  const bool text = settings.format == Format::kText;
  Right right = text ? read_text(Input::files({file})) : read_doubles(Input::files({file}), *settings.inner);
  if (right.columns == 0) throw JobError(file + ": has no numbers");
  if (settings.inner && right.rows != settings.inner) fail_shape(file, right.rows, "rows", *settings.inner);
  if (settings.columns && right.columns != settings.columns) {
    fail_shape(file, right.columns, "columns", *settings.columns);
  }
  return right;
}

// Keys are pieces of the left one, and rows of each; values are rows of the product.
struct MatrixProduct : MapReduce<MatrixProduct, std::array<uint64_t, 2>, std::vector<double>> {
  const Right& right;
  bool text;
  MatrixProduct(const Right& of, bool left_is_text) : right(of), text(left_is_text) {}

  void map(const Piece& piece, auto& emit) const {
    std::vector<double> parsed;
    if (text) parsed = parse(piece);
    const std::span<const double> left = text ? std::span<const double>(parsed) : doubles_of(piece.data);
    const size_t inner = right.rows, columns = right.columns;
    // Some rows at a time: they stay in the cache while all of the right one passes by.
    constexpr size_t kRows = 64;
    for (size_t from = 0; from < left.size() / inner; from += kRows) {
      const size_t rows = std::min(kRows, left.size() / inner - from);
      std::vector<double> product(rows * columns);
      add_product({left.data() + from * inner, inner}, {right.numbers(), columns}, product.data(), columns, rows, inner,
                  columns);
      for (size_t i = 0; i < rows; ++i) {
        const double* const row = product.data() + i * columns;
        emit(std::array<uint64_t, 2>{piece.number, from + i}, std::vector<double>(row, row + columns));
      }
    }
  }

 private:
  std::vector<double> parse(const Piece& piece) const {
    std::vector<double> numbers;
    each_row(piece, [&](std::span<const double> row) {
      if (row.size() != right.rows) fail_row(row.size(), right.rows);
      numbers.insert(numbers.end(), row.begin(), row.end());
    });
    return numbers;
  }
};

Input open_left(const std::string& file, bool text, uint64_t inner) {
  if (text) return Input::files({file});
  constexpr uint64_t kRows = 64, kLeast = 64 << 10;  // small pieces: a row is much work
  const uint64_t row = inner * sizeof(double);
  return Input::files({file}, Records::of_size(row), std::clamp(kRows * row, kLeast, kPieceBytes));
}

void write_row(std::span<const double> row, Format format, Output& output) {
  if (format == Format::kF64) {
    output.write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
    return;
  }
  std::string line;
  append_numbers(row, line);
  output.write(line + '\n');
}

Arguments parse_settings(int argc, char** argv, Settings& to) {
  const auto count = [](const char* name, std::optional<uint64_t>& number) {
    const auto take = [=, &number](const std::string& text) { number = parse_count(name, text, 1, uint64_t{1} << 40); };
    return Option{name, true, take};
  };
  const auto format = [](const char* name, auto& chosen) {
    const auto take = [=, &chosen](const std::string& text) {
      chosen = parse_format(name, text, {Format::kText, Format::kF64});
    };
    return Option{name, true, take};
  };
  const Arguments arguments = parse(argc, argv, kHelp,
                                    {count("inner", to.inner), count("rows", to.rows), count("columns", to.columns),
                                     format("format", to.format), format("result", to.result)});
  if (arguments.files.size() != 2 || std::ranges::count(arguments.files, "-") > 0)
    throw UsageError{"a product is of two files"};
  if (to.format == Format::kF64 && !to.inner) throw UsageError{"--format=f64 needs --inner"};
  return arguments;
}

}  // namespace

int matrix_product(int argc, char** argv) {
  Settings settings;
  const Arguments arguments = parse_settings(argc, argv, settings);
  const bool text = settings.format == Format::kText;
  const Right right = read_right(arguments.files[1], settings);
  const Input left = open_left(arguments.files[0], text, right.rows);
  const uint64_t known_rows = left.bytes() / (right.rows * sizeof(double));
  if (!text && settings.rows && settings.rows != known_rows) {
    fail_shape(arguments.files[0], known_rows, "rows", *settings.rows);
  }
  Output output(arguments);
  uint64_t rows = 0;
  const Statistics statistics =
      MatrixProduct(right, text)
          .run_each(left, arguments.options, [&](const std::array<uint64_t, 2>&, const std::vector<double>& row) {
            write_row(row, settings.result.value_or(settings.format), output);
            ++rows;
          });
  if (settings.rows && rows != settings.rows) fail_shape(arguments.files[0], rows, "rows", *settings.rows);
  finish({&output}, arguments, "matmul", statistics);
  return 0;
}

}  // namespace dmr::command
