// Constants of the problem classes of EP.
#pragma once

#include <cstdint>

namespace npb::ep {

struct Problem {
  char problem_class;
  int log_pairs;  // lg of the number of pairs
  double expected_sum_x;
  double expected_sum_y;
  // What later versions of the suite verify: sums of absolute values, which do not cancel, and their number.
  double expected_absolute_x;
  double expected_absolute_y;
  double expected_accepted;

  static constexpr std::uint64_t kSeed = 271828183;
  static constexpr int kLogBatch = 16;  // a batch is the unit of work: 2^16 pairs
  static constexpr int kAnnuli = 10;
  static constexpr double kTolerance = 1e-8;  // relative, on each of the five

  constexpr int batches() const { return 1 << (log_pairs - kLogBatch); }
  constexpr std::uint64_t numbers() const { return std::uint64_t{2} << log_pairs; }
};

inline constexpr Problem kProblems[] = {
    {'S', 24, -3.247834652034740e+03, -6.958407078382297e+03, 1.051299420395306e+07, 1.051517131857535e+07, 13176389},
    {'W', 25, -2.863319731645753e+03, -6.320053679109499e+03, 2.102505525182392e+07, 2.103162209578822e+07, 26354769},
    {'A', 28, -4.295875165629892e+03, -1.580732573678431e+04, 1.682235632304711e+08, 1.682195123368299e+08, 210832767},
    {'B', 30, 4.033815542441498e+04, -2.660669192809235e+04, 6.728927543423024e+08, 6.728951822504275e+08, 843345606},
    {'C', 32, 4.764367927995374e+04, -8.084072988043731e+04, 2.691444083862931e+09, 2.691519118724585e+09, 3373275903},
};

}  // namespace npb::ep
