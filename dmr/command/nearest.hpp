// Which of several means is nearest to a point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "vectors.hpp"

namespace dmr::command {

// Means in groups of eight, of each group first all first coordinates, and so on: the distances of eight are computed
// at once.
inline constexpr size_t kMeansTogether = 8;
inline constexpr uint32_t kNoMean = UINT32_MAX;

struct GroupedMeans {
  size_t dimensions = 0, count = 0;
  std::vector<double> numbers;

  GroupedMeans(std::span<const double> means, size_t dimensions_of_each)
      : dimensions(dimensions_of_each), count(means.size() / dimensions) {
    const size_t groups = (count + kMeansTogether - 1) / kMeansTogether;
    // Those that only fill up the last group are infinitely far.
    numbers.assign(groups * dimensions * kMeansTogether, std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < count; ++i) {
      double* const group = numbers.data() + i / kMeansTogether * dimensions * kMeansTogether;
      for (size_t d = 0; d < dimensions; ++d) {
        group[d * kMeansTogether + i % kMeansTogether] = means[i * dimensions + d];
      }
    }
  }
};

// nearest[i]: the mean nearest to the i-th point, of equally near ones the first; kNoMean if no distance is a finite
// number. Each distance is summed up from the first coordinate to the last.
DMR_FOR_EACH_MACHINE inline void find_nearest(const GroupedMeans& means, const double* points, size_t count,
                                              uint32_t* nearest) {
  const size_t dimensions = means.dimensions, of_group = dimensions * kMeansTogether;
  const double* const end = means.numbers.data() + means.numbers.size();
  for (size_t i = 0; i < count; ++i, points += dimensions) {
    double least = std::numeric_limits<double>::infinity();
    uint32_t first = 0, found = kNoMean;
    for (const double* group = means.numbers.data(); group != end; group += of_group, first += kMeansTogether) {
      double squares[kMeansTogether] = {};
      for (size_t d = 0; d < dimensions; ++d) {
        for (size_t k = 0; k < kMeansTogether; ++k) {
          const double difference = points[d] - group[d * kMeansTogether + k];
          squares[k] += difference * difference;
        }
      }
      for (uint32_t k = 0; k < kMeansTogether; ++k) {
        if (squares[k] < least) {
          least = squares[k];
          found = first + k;
        }
      }
    }
    nearest[i] = found;
  }
}

}  // namespace dmr::command
