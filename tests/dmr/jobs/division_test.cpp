// How the input is divided into files does not show in the output: jobs that add up numbers of double precision.
#include <catch2/catch.hpp>

#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

constexpr size_t kColumns = 4, kRows = 60'000;

// The job's output where its input lies in one file, and where it lies in several, cut behind some rows.
struct Outputs {
  std::string one, several;
};

Outputs outputs(const Arguments& job, const std::vector<std::string>& rows, const Folder& folder) {
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
  return {same_output(one), same_output(several)};
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
  const Folder folder;
  const auto four = rows_of_doubles(kColumns), two = rows_of_doubles(2);
  const std::string columns = std::to_string(kColumns);
  const Arguments kmeans = {"kmeans", "--format=f64", "--dimensions=" + columns, "--means=9", "--iterations=3"};
  const Arguments pca = {"pca", "--format=f64", "--columns=" + columns};
  for (const auto& [job, rows] : {std::pair(kmeans, four), {pca, four}, {{"regression", "--format=f64"}, two}}) {
    INFO(job[0]);
    const Outputs seen = outputs(job, rows, folder);
    CHECK(seen.one.size() > 50);
    CHECK(seen.several == seen.one);
  }
}

TEST_CASE("division: text") {
  const Folder folder;
  Random random(3);
  std::vector<std::string> rows;
  for (size_t row = 0; row < kRows; ++row)
    rows.push_back(shortest(any_double(random)) + ' ' + shortest(any_double(random)) + '\n');
  for (const Arguments& job :
       {Arguments{"kmeans", "--means=5", "--iterations=2"}, {"pca"}, {"regression", "--format=text"}}) {
    INFO(job[0]);
    const Outputs seen = outputs(job, rows, folder);
    CHECK(seen.one.size() > 50);
    CHECK(seen.several == seen.one);
  }
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
