// IS's keys against the suite's values, and its work within a rank. No MPI.

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "../common/problem.hpp"
#include "../is/keys.hpp"

using namespace npb;

TEST_CASE("IS: the first keys of a class", "[npb]") {
  struct Row {
    char problem_class;
    std::vector<int> keys;
  };
  for (const Row& row : {Row{'S', {1585, 825, 1060, 1343, 956, 437, 759, 841, 1101, 761}},
                         Row{'W', {50737, 26409, 33921, 42989, 30600, 13998, 24301, 26921, 35257, 24373}},
                         Row{'A', {405901, 211274, 271374, 343919, 244803, 111984, 194409, 215372, 282063, 194987}}})
    CHECK(is::make_keys(*find_problem(is::kProblems, row.problem_class), {0, 10}) == row.keys);
}

TEST_CASE("IS: the test keys, each made as a part of its own", "[npb]") {
  struct Row {
    char problem_class;
    std::vector<int> keys;
  };
  for (const Row& row :
       {Row{'S', {50, 158, 310, 1697, 1855}}, Row{'W', {6786, 11782, 54665, 56197, 60014}},
        Row{'A', {17237, 62059, 101168, 428502, 500879}}, Row{'B', {1806863, 153192, 237944, 1709407, 48333}},
        Row{'C', {677608, 1322381, 980324, 7453908, 7144955}}}) {
    const is::Problem& problem = *find_problem(is::kProblems, row.problem_class);
    std::vector<int> keys;
    for (const int place : problem.test_index) keys.push_back(is::make_keys(problem, {place, place + 1}).front());
    CHECK(keys == row.keys);
  }
}

TEST_CASE("IS: the ranks that are expected of the test keys", "[npb]") {
  CHECK(find_problem(is::kProblems, 'S')->expected_rank(0, 1) == 1);
  CHECK(find_problem(is::kProblems, 'S')->expected_rank(3, 10) == 64907);
  CHECK(find_problem(is::kProblems, 'W')->expected_rank(1, 1) == 11697);
  CHECK(find_problem(is::kProblems, 'W')->expected_rank(2, 1) == 1039986);
  CHECK(find_problem(is::kProblems, 'A')->expected_rank(2, 1) == 123928);
  CHECK(find_problem(is::kProblems, 'A')->expected_rank(4, 10) == 8388255);
  CHECK(find_problem(is::kProblems, 'B')->expected_rank(4, 2) == 101);
}

TEST_CASE("IS: arranging by bucket and counting by value sort the keys", "[npb]") {
  const is::Problem& problem = *find_problem(is::kProblems, 'S');
  const std::vector<int> keys = is::make_keys(problem, {0, problem.keys()});
  std::vector<int> sizes(problem.buckets());
  is::count_by_bucket(keys, problem.bucket_shift(), sizes.data(), problem.buckets());
  CHECK(std::accumulate(sizes.begin(), sizes.end(), 0) == problem.keys());

  std::vector<int> arranged;
  is::arrange_by_bucket(keys, problem.bucket_shift(), sizes.data(), problem.buckets(), arranged);
  for (std::size_t i = 1; i < arranged.size(); ++i)
    REQUIRE(arranged[i - 1] >> problem.bucket_shift() <= arranged[i] >> problem.bucket_shift());

  is::KeyCounts counts;
  counts.assign({0, problem.range()}, arranged.data(), problem.keys());
  std::vector<int> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  CHECK(counts.sort(arranged.data(), problem.keys()) == sorted);
  for (const int key : {0, 50, 1855, problem.range()})
    CHECK(counts.smaller(key) == std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
}

TEST_CASE("IS: a rank takes buckets until its share is reached", "[npb]") {
  const std::vector<int> even{2, 2, 2, 2};
  CHECK(is::assign_buckets(even.data(), 4, 2) == std::vector<int>{0, 2, 4});
  CHECK(is::assign_buckets(even.data(), 4, 1) == std::vector<int>{0, 4});
  // One bucket that reaches the shares of two ranks is one rank's; the last rank has none.
  const std::vector<int> heap{1, 6, 1};
  CHECK(is::assign_buckets(heap.data(), 3, 4) == std::vector<int>{0, 2, 3, 3, 3});
  const std::vector<int> late{0, 0, 8, 0};
  CHECK(is::assign_buckets(late.data(), 4, 2) == std::vector<int>{0, 3, 4});
}
