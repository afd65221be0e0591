// How the input is divided into files does not show in the output: jobs that add up numbers of double precision.
#include <catch2/catch.hpp>

#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

constexpr size_t kColumns = 4, kRows = 60'000;

// The job's output is the same where its input lies in one file, and where it lies in several, cut behind some rows.
void check_division(const Arguments& job, const std::vector<std::string>& rows) {
  INFO(job[0]);
  const Folder folder;
  Arguments one = job, several = job;
  std::string all, part;
  size_t next = 777;
  for (size_t row = 0; row < rows.size(); ++row) {
    all += rows[row];
    part += rows[row];
    if (row + 1 != next && row + 1 != rows.size()) continue;
    several.push_back(folder.file("part" + std::to_string(row), part));
    part.clear();
    next = next * 2 + 1;
  }
  CHECK(several.size() > job.size() + 5);
  one.push_back(folder.file("all", all));
  const std::string expected = same_output(one);
  CHECK(expected.size() > 50);
  CHECK(same_output(several) == expected);
}

std::vector<std::string> rows_of_doubles(size_t columns) {
  Random random(columns);
  std::vector<std::string> rows;
  for (size_t row = 0; row < kRows; ++row) {
    std::vector<double> numbers(columns);
    for (double& number : numbers) number = any_double(random);
    rows.push_back(bytes_of(numbers));
  }
  return rows;
}

}  // namespace

TEST_CASE("division: doubles") {
  const auto rows = rows_of_doubles(kColumns);
  const std::string columns = std::to_string(kColumns);
  check_division({"kmeans", "--format=f64", "--dimensions=" + columns, "--means=9", "--iterations=3"}, rows);
  check_division({"pca", "--format=f64", "--columns=" + columns}, rows);
  check_division({"regression", "--format=f64"}, rows_of_doubles(2));
}

TEST_CASE("division: text") {
  Random random(3);
  std::vector<std::string> rows;
  for (size_t row = 0; row < kRows; ++row)
    rows.push_back(shortest(any_double(random)) + ' ' + shortest(any_double(random)) + '\n');
  check_division({"kmeans", "--means=5", "--iterations=2"}, rows);
  check_division({"pca"}, rows);
  check_division({"regression", "--format=text"}, rows);
}

TEST_CASE("division: an error is told of where it lies") {
  const Folder folder;
  const std::string good = folder.file("good", "1 2\n2 3"), bad = folder.file("bad", "3 5\n4 x\n5 6\n");
  CHECK(failure({"regression", "--format=text", good, bad}) ==
        "dmr: worker 0: 'x' is no number, in the map of " + bad + ", bytes 4 to 7\n");
  const std::vector<double> numbers = {1, 2, 3, std::numeric_limits<double>::infinity()};
  const std::string first = folder.file("first", bytes_of(std::vector<double>{5, 6})),
                    second = folder.file("second", bytes_of(numbers));
  CHECK(failure({"regression", "--format=f64", first, second}) ==
        "dmr: worker 0: a number is not finite, in the map of " + second + ", bytes 16 to 32\n");
  CHECK(failure({"kmeans", "--format=f64", "--dimensions=1", "--means=2", first, second}) ==
        "dmr: worker 0: a point has a coordinate that is no number, or too large, in the map of " + second +
            ", bytes 24 to 32\n");
}
