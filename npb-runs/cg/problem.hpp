// Constants of the problem classes of CG.
#pragma once

namespace npb::cg {

struct Problem {
  char problem_class;
  int order;       // n, rows of the matrix
  int nonzeros;    // entries drawn per generating vector
  int iterations;  // outer iterations
  double shift;    // lambda
  double expected_zeta;

  static constexpr double kRcond = 0.1;        // ratio of the smallest to the largest weight
  static constexpr double kTolerance = 1e-10;  // relative, on zeta
  static constexpr int kInnerIterations = 25;
};

inline constexpr Problem kProblems[] = {
    {'S', 1400, 7, 15, 10.0, 8.5971775078648},     {'W', 7000, 8, 15, 12.0, 10.362595087124},
    {'A', 14000, 11, 15, 20.0, 17.130235054029},   {'B', 75000, 13, 75, 60.0, 22.712745482631},
    {'C', 150000, 15, 75, 110.0, 28.973605592845},
};

}  // namespace npb::cg
