// What the programs that test collective operations share: the communicators they are tried on, and their
// counts.
#pragma once

#include <algorithm>
#include <functional>

#include "testing.hpp"

namespace mpi_test {

struct Group {  // a communicator, seen from this rank
  MPI_Comm comm;
  int rank;
  int size;
  explicit Group(MPI_Comm c) : comm(c) {
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
  }
};

// Counts of ints: none, few, and about the borders of a board's line and area.
inline std::vector<int> counts_for(const Group& group) {
  std::vector<int> counts = {0, 1, 5, 12, 13, 300};
  if (group.size <= 4) counts.insert(counts.end(), {8191, 8192, 8193, 40000});
  else if (group.size <= 16) counts.insert(counts.end(), {2047, 2048, 2049, 10000});
  else counts = {0, 1, 13, 512, 513};
  return counts;
}

// All roots in a small group, a few in a large one.
inline std::vector<int> roots_for(const Group& group) {
  std::vector<int> roots;
  for (int root = 0; root < group.size; ++root) {
    if (group.size <= 4 || root == 0 || root == group.size / 2 || root == group.size - 1) roots.push_back(root);
  }
  return roots;
}

// With more ranks than this everything is tried on MPI_COMM_WORLD alone.
inline constexpr int kManyRanks = 16;

// Runs `test` on MPI_COMM_WORLD, a copy, both halves of a split, a split in the opposite order, and itself
// alone.
inline void on_communicators(const std::function<void(const Group&)>& test) {
  test(Group(MPI_COMM_WORLD));
  test(Group(MPI_COMM_SELF));
  if (g_size > kManyRanks) return;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  test(Group(comm));
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, g_rank % 2, -g_rank, &comm);
  test(Group(comm));
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, g_rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
  if (g_rank == 0) {
    EXPECT(comm == MPI_COMM_NULL);
  } else {
    test(Group(comm));
    MPI_Comm_free(&comm);
  }
}

// Element i that member `from` gives to member `to`.
inline int element(int from, int to, int i) {
  return static_cast<int>(
      mix(static_cast<uint64_t>(from) * 1000003 + static_cast<uint64_t>(to) * 101 + static_cast<uint64_t>(i)) >> 4);
}

inline std::vector<int> elements(int from, int to, int count) {
  std::vector<int> data(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) data[static_cast<size_t>(i)] = element(from, to, i);
  return data;
}

inline constexpr int kUntouched = -4242;

// `count` ints at `at` are those that `from` gave to `to`.
inline void expect_elements(const int* at, int count, int from, int to) {
  for (int i = 0; i < count; ++i) EXPECT(at[i] == element(from, to, i));
}
inline void expect_untouched(const int* at, int count) {
  for (int i = 0; i < count; ++i) EXPECT(at[i] == kUntouched);
}

}  // namespace mpi_test
