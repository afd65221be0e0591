// Runs code or a program in a child process with its standard output caught, once or twice.
//
// Every multi-process test runs twice and compares bytes, but with the sanitizers (sanitized.hpp):
//
//   const auto run = test_support::run_same([] { ...; return 0; });
//   CHECK(run.exit_code == 0);
//
// The function runs in a forked child that ends in _exit with its result; it uses no Catch macro. Output goes
// to a memory file, so a process that it leaves behind cannot block the caller. Blocks until the child has
// ended. Single thread; aborts with a message if the system refuses to fork.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/sanitized.hpp"

namespace test_support {

struct RunResult {
  int exit_code = -1;  // -1 when ended by a signal
  int signal = 0;      // 0 when it exited
  std::string out;     // standard output
  std::string err;     // standard error

  // Standard error is for people and may differ.
  bool operator==(const RunResult& other) const {
    return exit_code == other.exit_code && signal == other.signal && out == other.out;
  }
};

struct TwoRuns {
  RunResult first, second;
};

RunResult run_function(const std::function<int()>& body);
TwoRuns run_twice(const std::function<int()>& body);
// How often what ends in _same runs: see sanitized.hpp.
inline constexpr int kRuns = kAddressSanitizer ? 1 : 2;
// CHECKs that all runs gave the same, and returns the first.
RunResult run_same(const std::function<int()>& body);

// `argv[0]` is searched in PATH; 127 when it cannot be executed. Standard input holds `input`.
RunResult run_command(const std::vector<std::string>& argv, const std::string& input = "");
TwoRuns run_command_twice(const std::vector<std::string>& argv, const std::string& input = "");
RunResult run_command_same(const std::vector<std::string>& argv, const std::string& input = "");

}  // namespace test_support
