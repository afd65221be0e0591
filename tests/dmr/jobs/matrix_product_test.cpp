// dmr matmul: the bits of three plain loops.
#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

struct Matrix {
  size_t rows = 0, columns = 0;
  std::vector<double> numbers;
};

Matrix make_matrix(size_t rows, size_t columns) {
  Random random(rows * 1000 + columns);
  Matrix matrix{rows, columns, {}};
  for (size_t i = 0; i < rows * columns; ++i) matrix.numbers.push_back(any_double(random));
  return matrix;
}

Matrix product_of(const Matrix& a, const Matrix& b) {
  Matrix c{a.rows, b.columns, std::vector<double>(a.rows * b.columns)};
  for (size_t i = 0; i < a.rows; ++i) {
    for (size_t k = 0; k < a.columns; ++k) {
      for (size_t j = 0; j < b.columns; ++j) {
        c.numbers[i * b.columns + j] += a.numbers[i * a.columns + k] * b.numbers[k * b.columns + j];
      }
    }
  }
  return c;
}

std::string text_of(const Matrix& matrix) { return lines_of(matrix.numbers, matrix.columns); }

std::string option(const char* name, size_t value) { return "--" + std::string(name) + '=' + std::to_string(value); }

}  // namespace

TEST_CASE("matmul: doubles and text, shapes of all kinds") {
  const Folder folder;
  constexpr size_t kShapes[][3] = {{1, 1, 1}, {5, 3, 7}, {201, 257, 131}, {3, 1000, 8}, {300, 2, 16}, {64, 64, 64}};
  for (const auto& [rows, inner, columns] : kShapes) {
    INFO(rows << " x " << inner << " x " << columns);
    const Matrix a = make_matrix(rows, inner), b = make_matrix(inner, columns), c = product_of(a, b);
    const std::string a_file = folder.file("a", bytes_of(a.numbers)), b_file = folder.file("b", bytes_of(b.numbers));
    const std::string shape = option("inner", inner);
    CHECK((same_output({"matmul", "--format=f64", shape, a_file, b_file}) == bytes_of(c.numbers)));
    const std::string a_text = folder.file("a.txt", text_of(a)), b_text = folder.file("b.txt", text_of(b));
    CHECK((same_output({"matmul", option("rows", rows), option("columns", columns), shape, a_text, b_text}) ==
           text_of(c)));
  }
}

TEST_CASE("matmul: the result in the other format") {
  const Folder folder;
  const Matrix a = make_matrix(20, 30), b = make_matrix(30, 10), c = product_of(a, b);
  const std::string a_file = folder.file("a", bytes_of(a.numbers)), b_file = folder.file("b", bytes_of(b.numbers));
  const auto text = run_dmr({"matmul", "--format=f64", "--inner=30", "--result=text", a_file, b_file});
  CHECK(text.out == text_of(c));
  const auto doubles =
      run_dmr({"matmul", "--result=f64", folder.file("at", text_of(a)), folder.file("bt", text_of(b))});
  CHECK((doubles.out == bytes_of(c.numbers)));
}

TEST_CASE("matmul: shapes that do not fit") {
  const Folder folder;
  const std::string two = folder.file("two", "1 2\n3 4\n5 6\n"), three = folder.file("three", "1 2 3\n4 5 6\n");
  const std::string cut = folder.file("cut", "1 2\n3\n"), words = folder.file("words", "1 2\nthree 4\n");
  const std::string empty = folder.file("empty", "\n"), bytes = folder.file("bytes", std::string(24, 'b'));
  CHECK(failure({"matmul", two, two}) ==
        "dmr: worker 0: 2 numbers in a line, not 3, in the map of " + two + ", bytes 0 to 3\n");
  CHECK(failure({"matmul", three, cut}) == "dmr: 1 numbers in a line, not 2, in " + cut + ", bytes 4 to 5\n");
  CHECK(failure({"matmul", words, three}) ==
        "dmr: worker 0: 'three' is no number, in the map of " + words + ", bytes 4 to 11\n");
  CHECK(failure({"matmul", two, words}) == "dmr: 'three' is no number, in " + words + ", bytes 4 to 11\n");
  CHECK(failure({"matmul", two, empty}) == "dmr: " + empty + ": has no numbers\n");
  CHECK(failure({"matmul", "--rows=4", two, three}) == "dmr: " + two + ": 3 rows, not 4\n");
  CHECK(failure({"matmul", "--inner=3", two, three}) == "dmr: " + three + ": 2 rows, not 3\n");
  CHECK(failure({"matmul", "--columns=1", two, three}) == "dmr: " + three + ": 3 columns, not 1\n");
  CHECK(failure({"matmul", "--format=f64", "--inner=2", two, bytes}) ==
        "dmr: " + bytes + ": 24 bytes are no 2 rows of doubles\n");
  CHECK(failure({"matmul", "--format=f64", "--inner=3", folder.file("odd", "12345"), bytes}) ==
        "dmr: " + folder.path("odd") + ": 5 bytes are no whole number of records of 24\n");
  CHECK(failure({"matmul", "--format=f64", "--inner=3", "--rows=2", bytes, bytes}) ==
        "dmr: " + bytes + ": 1 rows, not 2\n");
  CHECK(failure({"matmul", two, "/dev/null"}) ==
        "dmr: /dev/null: is no regular file; jobs that read standard input can read it from there\n");
  CHECK(failure({"matmul", two}, 2) == "dmr: a product is of two files; try dmr matmul --help\n");
  CHECK(failure({"matmul", "--format=f64", two, two}, 2) == "dmr: --format=f64 needs --inner; try dmr matmul --help\n");
}
