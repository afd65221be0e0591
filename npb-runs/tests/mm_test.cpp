// MM's kernel and its check. No MPI.

#include <catch2/catch.hpp>

#include <vector>

#include "../mm/kernel.hpp"

using namespace npb;

TEST_CASE("MM: the product passes its check, any other matrix does not", "[npb]") {
  for (const int n : {1, 7, 8, 33, 300}) {
    const auto a = mm::make_operand(mm::Operand::kA, n);
    const auto b = mm::make_operand(mm::Operand::kB, n);
    std::vector<double> c(a.size());
    mm::multiply(a.data(), b.data(), c.data(), n, n);
    CHECK(mm::is_product(a, b, c, n));
    c.back() += 1;
    CHECK_FALSE(mm::is_product(a, b, c, n));
    c.back() -= 1.5;
    CHECK_FALSE(mm::is_product(a, b, c, n));
  }
}

TEST_CASE("MM: the product by hand", "[npb]") {
  const std::vector<double> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  std::vector<double> c(4);
  mm::multiply(a.data(), b.data(), c.data(), 2, 2);
  CHECK(c == std::vector<double>{19, 22, 43, 50});
}
