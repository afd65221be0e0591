// `kmeans` on threads: means of groups of points.
#include <set>

#include "common.hpp"
#include "nearest.hpp"

namespace threads {

namespace {

// The same first means as those of `dmr kmeans --seed=1`.
std::vector<double> first_means(std::span<const double> points, size_t dimensions, size_t count) {
  __extension__ using Wide = unsigned __int128;
  std::vector<double> means;
  std::set<uint64_t> there;
  for (uint64_t state = 1; there.size() < count;) {
    uint64_t r = state += 0x9e3779b97f4a7c15u;
    r = (r ^ r >> 30) * 0xbf58476d1ce4e5b9u;
    r = (r ^ r >> 27) * 0x94d049bb133111ebu;
    r ^= r >> 31;
    const auto number = static_cast<uint64_t>(Wide{r} * (points.size() / dimensions) >> 64);
    if (!there.insert(number).second) continue;
    const auto point = points.subspan(number * dimensions, dimensions);
    means.insert(means.end(), point.begin(), point.end());
  }
  return means;
}

// Adds to the sums of each mean the coordinates of its points, and how many they are.
void add_points(const double* point, size_t count, const dmr::command::GroupedMeans& means, std::vector<double>& sums) {
  const size_t dimensions = means.dimensions;
  std::vector<uint32_t> nearest(count);
  dmr::command::find_nearest(means, point, count, nearest.data());
  for (const uint32_t mean : nearest) {
    if (mean == dmr::command::kNoMean) fail("a point has a coordinate that is no number");
    double* const sum = &sums[mean * (dimensions + 1)];
    for (size_t d = 0; d < dimensions; ++d) sum[d] += point[d];
    sum[dimensions] += 1;
    point += dimensions;
  }
}

}  // namespace

void kmeans(size_t threads, Arguments arguments) {
  const auto points = doubles_of(map_file(arguments[0]));
  const size_t dimensions = number_of(arguments[1]), count = number_of(arguments[2]), width = dimensions + 1;
  std::vector<double> means = first_means(points, dimensions, count), sums;
  for (uint64_t left = number_of(arguments[3]); left > 0; --left) {
    const dmr::command::GroupedMeans grouped(means, dimensions);
    std::vector<std::vector<double>> tables(threads, std::vector<double>(count * width));
    share_out(threads, points.size() / dimensions, 1 << 14, [&](size_t thread, size_t from, size_t to) {
      add_points(&points[from * dimensions], to - from, grouped, tables[thread]);
    });
    sums = tables[0];
    for (size_t t = 1; t < threads; ++t) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += tables[t][i];
    }
    for (size_t i = 0; i < means.size(); ++i) {
      const double* const sum = &sums[i / dimensions * width];
      if (sum[dimensions] > 0) means[i] = sum[i % dimensions] / sum[dimensions];
    }
  }
  for (size_t mean = 0; mean < count; ++mean) {
    std::string line =
        std::to_string(mean) + '\t' + std::to_string(static_cast<uint64_t>(sums[mean * width + dimensions]));
    append_numbers(std::span<const double>(means).subspan(mean * dimensions, dimensions), line += '\t');
    print(line + '\n');
  }
}

}  // namespace threads
