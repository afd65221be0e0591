// dmr kmeans: the same steps one point after the other, with sums of each piece as its map makes them, and exact sums
// of these: the means must have the same bits.
#include <set>

#include "../exact_reference.hpp"
#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

struct Groups {
  std::vector<double> means;
  std::vector<uint64_t> counts;
  std::vector<uint32_t> of_points;

  std::string lines(size_t dimensions) const {
    std::string text;
    for (size_t mean = 0; mean < counts.size(); ++mean) {
      text += std::to_string(mean) + '\t' + std::to_string(counts[mean]);
      for (size_t d = 0; d < dimensions; ++d) text += (d == 0 ? '\t' : ' ') + shortest(means[mean * dimensions + d]);
      text += '\n';
    }
    return text;
  }
  std::string assignments() const {
    std::string text;
    for (const uint32_t mean : of_points) text += std::to_string(mean) + '\n';
    return text;
  }
};

std::vector<double> first_means(const std::vector<double>& points, size_t dimensions, size_t count, uint64_t seed) {
  std::vector<double> means;
  std::set<uint64_t> there;
  const size_t all = points.size() / dimensions;
  while (there.size() < count) {
    seed += 0x9e3779b97f4a7c15;
    uint64_t r = seed;
    r = (r ^ (r >> 30)) * 0xbf58476d1ce4e5b9;
    r = (r ^ (r >> 27)) * 0x94d049bb133111eb;
    r = r ^ (r >> 31);
    const auto number = static_cast<uint64_t>(static_cast<long double>(r) * all / 18446744073709551616.0L);
    if (!there.insert(number).second) continue;
    means.insert(means.end(), &points[number * dimensions], &points[number * dimensions] + dimensions);
  }
  return means;
}

uint32_t nearest(const double* point, const std::vector<double>& means, size_t dimensions) {
  uint32_t found = 0;
  double least = 1e300;
  for (uint32_t mean = 0; mean * dimensions < means.size(); ++mean) {
    double square = 0;
    for (size_t d = 0; d < dimensions; ++d) {
      const double difference = point[d] - means[mean * dimensions + d];
      square += difference * difference;
    }
    if (square < least) {
      least = square;
      found = mean;
    }
  }
  return found;
}

// Moves the means once. Pieces are of 256 KiB; a point belongs to the one in which it begins.
bool move(const std::vector<double>& points, size_t dimensions, Groups& groups) {
  const size_t count = groups.means.size() / dimensions, width = dimensions * sizeof(double);
  std::vector<double> piece(groups.means.size());
  std::vector<std::vector<double>> of_pieces(piece.size());
  groups.counts.assign(count, 0);
  groups.of_points.clear();
  size_t number = 0;
  const auto end_piece = [&] {
    for (size_t i = 0; i < piece.size(); ++i) of_pieces[i].push_back(piece[i]);
    std::fill(piece.begin(), piece.end(), 0.0);
  };
  for (size_t i = 0; i < points.size(); i += dimensions) {
    // The first point that begins at or behind the border, as borders are rounded up to points.
    const size_t of = i / dimensions * width >> 18;
    if (of != number) end_piece();
    number = of;
    const uint32_t mean = nearest(&points[i], groups.means, dimensions);
    groups.of_points.push_back(mean);
    ++groups.counts[mean];
    for (size_t d = 0; d < dimensions; ++d) piece[mean * dimensions + d] += points[i + d];
  }
  end_piece();
  const auto before = groups.means;
  for (size_t i = 0; i < piece.size(); ++i) {
    const auto points_of = static_cast<double>(groups.counts[i / dimensions]);
    if (points_of > 0) groups.means[i] = dmr_test::reference_sum(of_pieces[i]) / points_of;
  }
  return groups.means != before;
}

Groups groups_of(const std::vector<double>& points, size_t dimensions, size_t count, uint64_t seed, int iterations) {
  Groups groups;
  groups.means = first_means(points, dimensions, count, seed);
  for (int i = 0; move(points, dimensions, groups) && (iterations == 0 || i + 1 < iterations); ++i) {
  }
  return groups;
}

std::vector<double> clouds(size_t count, size_t dimensions, uint64_t clouds) {
  Random random(count);
  std::vector<double> points;
  for (size_t i = 0; i < count; ++i) {
    const auto cloud = static_cast<double>(random.below(clouds));
    for (size_t d = 0; d < dimensions; ++d) points.push_back(cloud * static_cast<double>(d + 1) + any_double(random));
  }
  return points;
}

}  // namespace

TEST_CASE("kmeans: some moves") {
  const Folder folder;
  const auto points = clouds(110'000, 5, 9);
  const auto expected = groups_of(points, 5, 11, 77, 3);
  const std::string file = folder.file("points", bytes_of(points)), of = folder.path("of");
  const Arguments arguments = {"kmeans",         "--format=f64", "--dimensions=5",      "--means=11",
                               "--iterations=3", "--seed=77",    "--assignments=" + of, file};
  CHECK(same_output(arguments) == expected.lines(5));
  CHECK((folder.read("of") == expected.assignments()));
}

TEST_CASE("kmeans: a text, until no mean moves") {
  const Folder folder;
  const auto points = clouds(30'000, 2, 3);
  const auto expected = groups_of(points, 2, 3, 1, 0);
  const std::string file = folder.file("points", lines_of(points, 2)), of = folder.path("of");
  CHECK(same_output({"kmeans", "--means=3", "--assignments=" + of, file}) == expected.lines(2));
  CHECK((folder.read("of") == expected.assignments()));
}

TEST_CASE("kmeans: several files, means without points") {
  const Folder folder;
  const auto a = clouds(100, 3, 2), b = clouds(50, 3, 4);
  auto points = a;
  points.insert(points.end(), b.begin(), b.end());
  points.insert(points.end(), a.begin(), a.end());  // every point twice: one of two equal means gets none
  const Arguments files = {folder.file("a", bytes_of(a)), folder.file("none", ""), folder.file("b", bytes_of(b)),
                           folder.file("a2", bytes_of(a))};
  Groups expected = {first_means(points, 3, 200, 5), {}, {}};
  Arguments arguments = {"kmeans", "--format=f64", "--dimensions=3", "--means=200", "--iterations=1", "--seed=5"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  move(points, 3, expected);
  const std::string output = same_output(arguments);
  CHECK(output == expected.lines(3));
  const auto lines = split(output, '\n');
  REQUIRE(lines.size() == 201);
  uint64_t empty = 0;
  for (size_t mean = 0; mean < 200; ++mean) {
    const auto parts = split(lines[mean], '\t');
    REQUIRE(parts.size() == 3);
    CHECK(parts[1] == std::to_string(expected.counts[mean]));
    empty += parts[1] == "0";
  }
  CHECK(empty > 10);
}

TEST_CASE("kmeans: all outputs appear, or none") {
  const Folder folder;
  const std::string points = folder.file("points", "1\n2\n9\n"), of = folder.path("of");
  const auto run = [&](const Arguments& more) {
    Arguments arguments = {"kmeans", "--means=2", "--assignments=" + of, points};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = run_dmr(arguments);
    INFO(ended.err);
    CHECK(ended.exit_code == 1);
    CHECK_FALSE(std::filesystem::exists(of));
  };
  run({"-o", "/dev/full"});
  run({"--statistics=/nonexistent/x"});
  run({"--statistics=/dev/full"});
  CHECK(folder.entries() == 1);
}

TEST_CASE("kmeans: a mean that is too large is an error") {
  const Folder folder;
  std::vector<double> points;
  for (int i = 0; i < 40; ++i) points.push_back(1.5e308);
  const std::string file = folder.file("points", bytes_of(points));
  CHECK(failure({"kmeans", "--format=f64", "--dimensions=1", "--means=1", file}) ==
        "dmr: the points of mean 0 are too large: their sum is not finite\n");
}

TEST_CASE("kmeans: wrong points, wrong settings") {
  const Folder folder;
  const std::string three = folder.file("three", "1 2\n3 4\n5 6\n"), cut = folder.file("cut", std::string(20, 'c'));
  CHECK(failure({"kmeans", three}) == "dmr: there are 3 points, fewer than means, of which there are 8\n");
  CHECK(failure({"kmeans", folder.file("empty", "\n")}) ==
        "dmr: there are 0 points, fewer than means, of which there are 8\n");
  CHECK(failure({"kmeans", "--format=f64", "--dimensions=2", cut}) ==
        "dmr: " + cut + ": 20 bytes are no whole number of records of 16\n");
  const std::string word = folder.file("word", "1 2\n3 four\n"), more = folder.file("more", "\n1 2\n3 4 5\n");
  CHECK(failure({"kmeans", word}) == "dmr: worker 0: 'four' is no number, in the map of " + word + ", bytes 4 to 10\n");
  CHECK(failure({"kmeans", more}) ==
        "dmr: worker 0: 3 numbers in a line, not 2, in the map of " + more + ", bytes 5 to 10\n");
  CHECK(failure({"kmeans", "--dimensions=3", three}) ==
        "dmr: worker 0: 2 numbers in a line, not 3, in the map of " + three + ", bytes 0 to 3\n");
  const std::string no_number = folder.file("no_number", bytes_of(std::vector<double>{1, 2, 3, std::stod("nan")}));
  CHECK(failure({"kmeans", "--format=f64", "--dimensions=1", "--means=2", no_number}) ==
        "dmr: worker 0: a point has a coordinate that is no number, or too large, in the map of " + no_number +
            ", bytes 24 to 32\n");
  // Of a text, whose numbers lie in memory: its file and bytes, also where lines are left out or empty.
  const std::string far = folder.file("far", "1 1\n\nx\n2 2\n1e200 3\n4 4\n");
  const std::string left_out = "dmr: left out: worker 0: 'x' is no number, in the map of " + far + ", bytes 5 to 6\n";
  CHECK(failure({"kmeans", "--means=2", "--seed=3", "--skip=1", folder.file("near", "5 5\n6 6\n7 7\n8 8\n"), far}) ==
        left_out + "dmr: a point has a coordinate that is no number, or too large, in " + far + ", bytes 11 to 18\n");
  CHECK(failure({"kmeans", "--format=f64", three}, 2) ==
        "dmr: --format=f64 needs --dimensions; try dmr kmeans --help\n");
  CHECK(failure({"kmeans", "--means=0", three}, 2) ==
        "dmr: --means=0: not a number from 1 to 1048576; try dmr kmeans --help\n");
}
