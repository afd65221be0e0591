// Properties of the equations that LU, SP and BT share. No MPI.

#include <catch2/catch.hpp>

#include "../cfd/exact_solution.hpp"

using namespace npb;

TEST_CASE("CFD: the exact solution at corners of the cube", "[npb]") {
  // The constant terms, and the sums of all coefficients, of the published table.
  const cfd::State at_0{2, 1, 2, 2, 5};
  const cfd::State at_1{15.76, 8.26, 10.32, 9.72, 15.52};
  for (int m = 0; m < cfd::kComponents; ++m) {
    CHECK(cfd::exact_solution(0, 0, 0)[m] == at_0[m]);
    CHECK(cfd::exact_solution(1, 1, 1)[m] == Approx(at_1[m]).epsilon(1e-14));
  }
}

TEST_CASE("CFD: the initial values continue those on the faces", "[npb]") {
  // The interpolation is of products, so it meets the exact solution at no inner point; on a face it does.
  const double x = 0.3, y = 0.6;
  CHECK(cfd::initial_value(x, y, 0) == cfd::exact_solution(x, y, 0));
  CHECK(cfd::initial_value(1, x, y) == cfd::exact_solution(1, x, y));
  CHECK(cfd::initial_value(x, 0, y) == cfd::exact_solution(x, 0, y));
  CHECK(cfd::initial_value(x, y, 0.5) != cfd::exact_solution(x, y, 0.5));
}

TEST_CASE("CFD: the last point has the coordinate 1", "[npb]") {
  for (const int n : {12, 24, 33, 36, 64, 102, 162}) CHECK(cfd::coordinate(n - 1, n) == 1.0);
}
