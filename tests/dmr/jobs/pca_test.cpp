// dmr pca: against sums with more digits; components against what makes them ones.
#include <cmath>

#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

struct Result {
  std::vector<double> mean;
  std::vector<std::vector<double>> covariance, components;
  std::vector<double> variances;
};

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& number : split(text, ' ')) numbers.push_back(std::stod(number));
  return numbers;
}

Result parse(const std::string& output) {
  Result result;
  for (const std::string& line : split(output, '\n')) {
    const auto parts = split(line, '\t');
    if (parts[0] == "mean") result.mean = numbers_of(parts.at(1));
    if (parts[0] == "covariance") result.covariance.push_back(numbers_of(parts.at(1)));
    if (parts[0] != "component") continue;
    result.variances.push_back(std::stod(parts.at(1)));
    result.components.push_back(numbers_of(parts.at(2)));
  }
  return result;
}

Result expected_of(const std::vector<double>& numbers, size_t columns) {
  const size_t rows = numbers.size() / columns;
  std::vector<long double> mean(columns);
  for (size_t i = 0; i < numbers.size(); ++i) mean[i % columns] += numbers[i];
  for (auto& number : mean) number /= static_cast<long double>(rows);
  Result result{{mean.begin(), mean.end()}, {}, {}, {}};
  for (size_t i = 0; i < columns; ++i) {
    result.covariance.emplace_back();
    for (size_t j = 0; j < columns; ++j) {
      long double sum = 0;
      for (size_t row = 0; row < rows; ++row) {
        sum += (numbers[row * columns + i] - mean[i]) * (numbers[row * columns + j] - mean[j]);
      }
      result.covariance.back().push_back(static_cast<double>(sum / static_cast<long double>(rows - 1)));
    }
  }
  return result;
}

void check_near(const Result& got, const Result& expected) {
  const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(std::fabs(a[i] - b[i]) <= 1e-9 * (1 + std::fabs(b[i])))) return false;
    }
    return true;
  };
  CHECK(near(got.mean, expected.mean));
  REQUIRE(got.covariance.size() == expected.covariance.size());
  for (size_t i = 0; i < got.covariance.size(); ++i) CHECK(near(got.covariance[i], expected.covariance[i]));
}

// Columns that hang together, far from zero.
std::vector<double> make_rows(size_t rows, size_t columns) {
  Random random(rows + columns);
  std::vector<double> numbers;
  for (size_t row = 0; row < rows; ++row) {
    const double common = any_double(random);
    for (size_t j = 0; j < columns; ++j) {
      numbers.push_back(1000 + static_cast<double>(j % 3) * common + any_double(random));
    }
  }
  return numbers;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

TEST_CASE("pca: mean and covariance") {
  const Folder folder;
  // The last ones have so many columns that these are cut, and then too many rows for that.
  constexpr size_t kShapes[][2] = {{150'000, 3}, {3000, 77}, {2, 5}, {999, 1}, {300, 70}, {600, 289}, {2049, 256}};
  for (const auto& [rows, columns] : kShapes) {
    INFO(rows << " x " << columns);
    const auto numbers = make_rows(rows, columns);
    const std::string file = folder.file("rows", bytes_of(numbers));
    check_near(parse(same_output({"pca", "--format=f64", "--columns=" + std::to_string(columns), file})),
               expected_of(numbers, columns));
  }
}

TEST_CASE("pca: text, with components") {
  const Folder folder;
  constexpr size_t kColumns = 12;
  const auto numbers = make_rows(20'000, kColumns);
  const std::string file = folder.file("text", lines_of(numbers, kColumns, ", "));
  const auto result = parse(same_output({"pca", "--components=20", file}));
  check_near(result, expected_of(numbers, kColumns));
  REQUIRE(result.components.size() == kColumns);
  for (size_t i = 0; i < kColumns; ++i) {
    const auto& component = result.components[i];
    if (i > 0) CHECK(result.variances[i] <= result.variances[i - 1]);
    CHECK(*std::max_element(component.begin(), component.end()) >
          -*std::min_element(component.begin(), component.end()));
    for (size_t j = 0; j < kColumns; ++j) {
      CHECK(product(component, result.components[j]) == Approx(i == j ? 1 : 0).margin(1e-12));
      CHECK(product(result.covariance[j], component) == Approx(result.variances[i] * component[j]).margin(1e-12));
    }
  }
}

TEST_CASE("pca: a simple matrix") {
  CHECK(run_dmr({"pca", "--components=1"}, "1 2\n3 6\n").out ==
        "mean\t2 4\ncovariance\t2 4\ncovariance\t4 8\ncomponent\t10\t0.4472135954999579 0.8944271909999159\n");
  CHECK(run_dmr({"pca", "--components=2"}, "1 5\n1 5\n").out ==
        "mean\t1 5\ncovariance\t0 0\ncovariance\t0 0\ncomponent\t0\t1 0\ncomponent\t0\t0 1\n");
}

TEST_CASE("pca: numbers that are none, or too large") {
  const Folder folder;
  std::vector<double> numbers = make_rows(1000, 3);
  numbers[1000] = std::nan("");
  const std::string file = folder.file("rows", bytes_of(numbers));
  CHECK(failure({"pca", "--format=f64", "--columns=3", file}) ==
        "dmr: worker 0: a number is not finite, in the map of " + file + ", bytes 7992 to 8016\n");
  numbers[1000] = -INFINITY;
  folder.file("rows", bytes_of(numbers));
  CHECK(failure({"pca", "--format=f64", "--columns=3", file}) ==
        "dmr: worker 0: a number is not finite, in the map of " + file + ", bytes 7992 to 8016\n");
  CHECK(failure({"pca", folder.file("sum", "1 1e308\n2 1e308\n")}) ==
        "dmr: the numbers of column 2 are too large: their sum is not finite\n");
  CHECK(failure({"pca", folder.file("square", "1 1 -1e200\n2 1 1e200\n")}) ==
        "dmr: the numbers of column 3 are too large: their variance is not finite\n");
}

TEST_CASE("pca: wrong matrices, wrong settings") {
  const Folder folder;
  CHECK(failure({"pca", folder.file("one", "1 2\n")}) == "dmr: there are 1 rows, fewer than two\n");
  CHECK(failure({"pca", folder.file("none", "")}) == "dmr: there are 0 rows, fewer than two\n");
  const std::string cut = folder.file("cut", "1 2\n3\n"), odd = folder.file("odd", "12345678");
  CHECK(failure({"pca", cut}) ==
        "dmr: worker 0: 1 numbers in a line, not 2, in the map of " + cut + ", bytes 4 to 5\n");
  CHECK(failure({"pca", "--format=f64", "--columns=2", odd}) ==
        "dmr: " + odd + ": 8 bytes are no whole number of records of 16\n");
  CHECK(failure({"pca", "--format=f64", odd}, 2) == "dmr: --format=f64 needs --columns; try dmr pca --help\n");
}
