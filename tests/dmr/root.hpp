// A job of MapReduce for one test: run_root(body) runs `body` twice as a root space, each time in a process of its own,
// and compares what it prints.
#pragma once

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <dmr/map_reduce.hpp>

#include "support/expect.hpp"
#include "support/run_child.hpp"

[[noreturn]] inline void test_support::expectation_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: expected: %s\n", file, line, what);
  std::exit(1);
}

namespace dmr_test {

// What it printed.
inline std::string run_root(const std::function<void()>& body) {
  const auto run = test_support::run_same([&] {
    setenv("DLINUX_NO_REEXEC", "1", 1);
    dmr::init();
    body();
    return 0;
  });
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.signal == 0);
  return run.out;
}

// The sentence of the JobError that `call` throws; ends the process if it throws none.
inline std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const dmr::JobError& error) {
    return error.what();
  }
  test_support::expectation_failed("a JobError", __FILE__, __LINE__);
}

inline bool has(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return true;
  std::fprintf(stderr, "no '%s' in: %s\n", part.c_str(), text.c_str());
  return false;
}

inline dmr::Options with(int workers, uint64_t memory_bytes = 0) {
  dmr::Options options;
  options.workers = workers;
  options.reducers = workers;  // also where there are fewer cores
  options.memory_bytes = memory_bytes;
  return options;
}

// Numbers that repeat: a linear congruence.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t below(uint64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % n;
  }

 private:
  uint64_t state_;
};

}  // namespace dmr_test
