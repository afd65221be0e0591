#include "keys.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../common/random.hpp"

namespace npb::is {

std::vector<int> make_keys(const Problem& problem, Range part) {
  constexpr std::size_t kBlock = 1024;  // keys at a time
  Random random;
  random.skip(std::uint64_t{4} * static_cast<std::uint64_t>(part.begin));
  const double scale = problem.range() / 4;
  std::vector<double> numbers(4 * kBlock);
  std::vector<int> keys(static_cast<std::size_t>(part.size()));
  for (std::size_t begin = 0; begin < keys.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, keys.size() - begin);
    random.fill(numbers.data(), 4 * count);
    for (std::size_t i = 0; i < count; ++i) {
      const double* four = &numbers[4 * i];
      keys[begin + i] = static_cast<int>(scale * (four[0] + four[1] + four[2] + four[3]));
    }
  }
  return keys;
}

void count_by_bucket(const std::vector<int>& keys, int shift, int* sizes, int buckets) {
  std::fill(sizes, sizes + buckets, 0);
  for (const int key : keys) ++sizes[key >> shift];
}

void arrange_by_bucket(const std::vector<int>& keys, int shift, const int* sizes, int buckets,
                       std::vector<int>& arranged) {
  arranged.resize(keys.size());
  std::vector<int*> next(static_cast<std::size_t>(buckets), arranged.data());
  for (int bucket = 1; bucket < buckets; ++bucket) next[bucket] = next[bucket - 1] + sizes[bucket - 1];
  int** __restrict slot = next.data();
  for (const int key : keys) *slot[key >> shift]++ = key;
}

std::vector<int> assign_buckets(const int* sizes, int buckets, int ranks) {
  std::int64_t all = 0;
  for (int bucket = 0; bucket < buckets; ++bucket) all += sizes[bucket];
  std::vector<int> first{0};
  std::int64_t total = 0;
  for (int bucket = 0; bucket < buckets; ++bucket) {
    total += sizes[bucket];
    const auto rank = static_cast<std::int64_t>(first.size()) - 1;
    if (rank < ranks && total * ranks >= (rank + 1) * all) first.push_back(bucket + 1);
  }
  first.resize(static_cast<std::size_t>(ranks) + 1, buckets);
  return first;
}

void KeyCounts::assign(Range values, const int* keys, int count) {
  values_ = values;
  smaller_.assign(static_cast<std::size_t>(values.size()) + 1, 0);
  int* __restrict occurrences = smaller_.data();
  for (int i = 0; i < count; ++i) ++occurrences[keys[i] - values.begin];
  int total = 0;
  for (int& slot : smaller_) {
    const int occurring = slot;
    slot = total;
    total += occurring;
  }
}

std::vector<int> KeyCounts::sort(const int* keys, int count) const {
  std::vector<int> next = smaller_;
  std::vector<int> sorted(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) sorted[static_cast<std::size_t>(next[keys[i] - values_.begin]++)] = keys[i];
  return sorted;
}

}  // namespace npb::is
