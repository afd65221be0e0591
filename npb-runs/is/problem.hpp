// Constants of the problem classes of IS.
#pragma once

namespace npb::is {

struct Problem {
  static constexpr int kIterations = 10;
  static constexpr int kTests = 5;

  char problem_class;
  int log_keys;
  int log_range;  // keys lie in 0 .. 2^log_range - 1
  int log_buckets;
  int most_ranks;
  // Partial verification: the keys at these places of the whole array have known ranks. An iteration adds one
  // small and one large key, so the ranks move: up by iteration + step_up in the tests marked, down by
  // iteration + step_down in the others.
  int test_index[kTests];
  int test_rank[kTests];
  bool moves_up[kTests];
  int step_up;
  int step_down;

  constexpr int keys() const { return 1 << log_keys; }
  constexpr int range() const { return 1 << log_range; }
  constexpr int buckets() const { return 1 << log_buckets; }
  constexpr int bucket_shift() const { return log_range - log_buckets; }

  constexpr int expected_rank(int test, int iteration) const {
    return moves_up[test] ? test_rank[test] + (iteration + step_up) : test_rank[test] - (iteration + step_down);
  }
};

// clang-format off
inline constexpr Problem kProblems[] = {
    {'S', 16, 11, 9, 128,
     {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463},
     {true, true, true, false, false}, 0, 0},
    {'W', 20, 16, 10, 1024,
     {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018},
     {true, true, false, false, false}, -2, 0},
    {'A', 23, 19, 10, 1024,
     {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264},
     {true, true, true, false, false}, -1, -1},
    {'B', 25, 21, 10, 1024,
     {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99},
     {false, true, true, false, true}, 0, 0},
    {'C', 27, 23, 10, 1024,
     {44172927, 72999161, 74326391, 129606274, 21736814}, {61147, 882988, 266290, 133997595, 133525895},
     {true, true, true, false, false}, 0, 0},
};
// clang-format on

}  // namespace npb::is
