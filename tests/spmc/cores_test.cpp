// Which hardware threads of a machine are the first of their cores, and that cores can be taken by turns.
#include <base/cores.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace spmc::base;

TEST_CASE("the place of a hardware thread in its core") {
  CHECK(place_in_core("0-1\n", 0) == 0);
  CHECK(place_in_core("0-1\n", 1) == 1);
  CHECK(place_in_core("3,11\n", 3) == 0);
  CHECK(place_in_core("3,11\n", 11) == 1);
  CHECK(place_in_core("0-3,8-11\n", 9) == 5);
  CHECK(place_in_core("7\n", 7) == 0);
}

TEST_CASE("a list that is none counts as far as it is one") {
  CHECK(place_in_core("", 5) == 0);
  CHECK(place_in_core("\n", 5) == 0);
  CHECK(place_in_core("cores\n", 5) == 0);
  CHECK(place_in_core("1,x,2\n", 5) == 1);
  CHECK(place_in_core("1,3-\n", 5) == 1);
  CHECK(place_in_core("4-2\n", 5) == 0);
  CHECK(place_in_core("99999999999999999999\n", 5) == 0);
}

TEST_CASE("whoever takes the usable cores in turn takes each once") {
  std::vector<int> taken;
  for (unsigned nth = 0; nth < usable_cores(); ++nth) taken.push_back(nth_usable_core(nth));
  CHECK(nth_usable_core(usable_cores()) == taken.front());
  std::sort(taken.begin(), taken.end());
  CHECK(taken == usable_core_numbers());
}
