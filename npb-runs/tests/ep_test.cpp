// EP's tables, and that the division into batches does not change the result. No MPI.

#include <catch2/catch.hpp>

#include <array>

#include "../common/problem.hpp"
#include "../common/range.hpp"
#include "../ep/gaussian.hpp"

using namespace npb;

TEST_CASE("EP: the counts of class S, summed over the parts of three ranks", "[npb]") {
  const ep::Problem& problem = *find_problem(ep::kProblems, 'S');
  std::array<std::int64_t, ep::Problem::kAnnuli> counts{};
  double absolute_x = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const ep::Tally tally = ep::tabulate(part_of(problem.batches(), 3, rank));
    for (int annulus = 0; annulus < ep::Problem::kAnnuli; ++annulus) counts[annulus] += tally.counts[annulus];
    absolute_x += tally.absolute_x;
  }
  CHECK(counts == std::array<std::int64_t, ep::Problem::kAnnuli>{6140517, 5865300, 1100361, 68546, 1648, 17});
  CHECK(absolute_x == Approx(problem.expected_absolute_x).epsilon(1e-12));
}

TEST_CASE("EP: sizes of the classes", "[npb]") {
  CHECK(find_problem(ep::kProblems, 'S')->batches() == 256);
  CHECK(find_problem(ep::kProblems, 'A')->numbers() == 536870912u);
  CHECK(find_problem(ep::kProblems, 'C')->numbers() == 8589934592u);
  CHECK(find_problem(ep::kProblems, 'X') == nullptr);
}

TEST_CASE("EP: a tally repeats bit by bit", "[npb]") {
  const ep::Tally first = ep::tabulate({3, 7});
  const ep::Tally second = ep::tabulate({3, 7});
  CHECK(first.sum_x == second.sum_x);
  CHECK(first.sum_y == second.sum_y);
  CHECK(first.accepted() == second.accepted());
}
