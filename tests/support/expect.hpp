// EXPECT, for code that runs in a forked child of the test runner, where no Catch macro may be used.
#pragma once

namespace test_support {

// Says on standard error what was expected, and ends the process with status 1. Defined by the helpers of each layer's
// tests: they know what else can be said, and how its processes end.
[[noreturn]] void expectation_failed(const char* what, const char* file, int line);

}  // namespace test_support

#define EXPECT(condition)                                                                 \
  do {                                                                                    \
    if (!(condition)) ::test_support::expectation_failed(#condition, __FILE__, __LINE__); \
  } while (false)
