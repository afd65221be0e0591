// Groups against the definitions of the standard.
#include "object/group.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>
#include <vector>

#include "object/errors.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

struct Groups : World {
  Groups() : World(1, 6) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
  }
  ~Groups() { MPI_Group_free(&all); }

  MPI_Group of(std::vector<int> ranks) {
    MPI_Group group;
    REQUIRE(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group) == MPI_SUCCESS);
    return group;
  }

  // The world ranks of a group, which is freed.
  std::vector<int> take(MPI_Group group) {
    std::vector<int> ranks = group_from(group)->world_rank;
    MPI_Group_free(&group);
    return ranks;
  }

  MPI_Group all;
};

using Ranks = std::vector<int>;

}  // namespace

TEST_CASE_METHOD(Groups, "Group size, rank and translation") {
  MPI_Group some = of({4, 1, 0});
  int size, rank;
  MPI_Group_size(some, &size);
  MPI_Group_rank(some, &rank);
  REQUIRE(size == 3);
  REQUIRE(rank == 1);
  const int from[] = {0, 4, 5, MPI_PROC_NULL};
  int to[4];
  REQUIRE(MPI_Group_translate_ranks(all, 4, from, some, to) == MPI_SUCCESS);
  REQUIRE(Ranks(to, to + 4) == Ranks{2, 0, MPI_UNDEFINED, MPI_PROC_NULL});
  const int bad[] = {6};
  REQUIRE(error_class_of(MPI_Group_translate_ranks(all, 1, bad, some, to)) == MPI_ERR_RANK);
  take(some);
  MPI_Group others = of({2});
  MPI_Group_rank(others, &rank);
  REQUIRE(rank == MPI_UNDEFINED);
  take(others);
}

TEST_CASE_METHOD(Groups, "Set operations keep the order of the standard") {
  MPI_Group a = of({3, 1, 5}), b = of({5, 0, 3}), result;
  MPI_Group_union(a, b, &result);
  REQUIRE(take(result) == Ranks{3, 1, 5, 0});
  MPI_Group_intersection(a, b, &result);
  REQUIRE(take(result) == Ranks{3, 5});
  MPI_Group_difference(a, b, &result);
  REQUIRE(take(result) == Ranks{1});
  MPI_Group_difference(a, a, &result);
  REQUIRE(result == MPI_GROUP_EMPTY);
  MPI_Group_free(&result);
  REQUIRE(result == MPI_GROUP_NULL);
  take(a);
  take(b);
}

TEST_CASE_METHOD(Groups, "Comparison") {
  MPI_Group a = of({3, 1}), b = of({1, 3}), c = of({1, 2}), d = of({3, 1});
  int result;
  MPI_Group_compare(a, d, &result);
  REQUIRE(result == MPI_IDENT);
  MPI_Group_compare(a, b, &result);
  REQUIRE(result == MPI_SIMILAR);
  MPI_Group_compare(a, c, &result);
  REQUIRE(result == MPI_UNEQUAL);
  MPI_Group_compare(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &result);
  REQUIRE(result == MPI_IDENT);
  for (MPI_Group group : {a, b, c, d}) take(group);
}

TEST_CASE_METHOD(Groups, "Lists and ranges") {
  MPI_Group result;
  const int ranks[] = {5, 2};
  MPI_Group_excl(all, 2, ranks, &result);
  REQUIRE(take(result) == Ranks{0, 1, 3, 4});
  int ranges[][3] = {{4, 0, -2}, {1, 3, 2}};
  MPI_Group_range_incl(all, 2, ranges, &result);
  REQUIRE(take(result) == Ranks{4, 2, 0, 1, 3});
  MPI_Group_range_excl(all, 2, ranges, &result);
  REQUIRE(take(result) == Ranks{5});
  int empty[][3] = {{3, 1, 1}};
  MPI_Group_range_incl(all, 1, empty, &result);
  REQUIRE(result == MPI_GROUP_EMPTY);
}

TEST_CASE_METHOD(Groups, "Misuse of groups") {
  MPI_Group result = MPI_GROUP_NULL;
  const int twice[] = {1, 1}, outside[] = {6};
  REQUIRE(error_class_of(MPI_Group_incl(all, 2, twice, &result)) == MPI_ERR_RANK);
  REQUIRE(error_class_of(MPI_Group_incl(all, 1, outside, &result)) == MPI_ERR_RANK);
  int no_stride[][3] = {{0, 1, 0}}, too_far[][3] = {{0, 9, 3}};
  REQUIRE(error_class_of(MPI_Group_range_incl(all, 1, no_stride, &result)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Group_range_incl(all, 1, too_far, &result)) == MPI_ERR_RANK);
  REQUIRE(error_class_of(MPI_Group_incl(MPI_GROUP_NULL, 0, nullptr, &result)) == MPI_ERR_GROUP);
  REQUIRE(result == MPI_GROUP_NULL);
}
