// How the tests start MPI programs: through detmpirun, in both ways of starting, and in one of them again, with the
// bytes compared.
//
// DETMPIRUN and MPI_PROGRAMS (the folder of the test programs) come from the environment; meson.build sets
// them.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "support/run_child.hpp"
#include "support/sanitized.hpp"

namespace mpi_test {

using test_support::RunResult;

inline constexpr const char* kStarts[] = {"--start=fork", "--start=exec"};

// For tests that wait for what a job prints while it runs.
inline constexpr const char* kPrintAtOnce = "--ordered-output=no";

inline std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) FAIL("set " << name << ", as meson test does");
  return value;
}
inline std::string detmpirun() { return from_environment("DETMPIRUN"); }
inline std::string program(const std::string& name) { return from_environment("MPI_PROGRAMS") + "/" + name; }

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// That detmpirun does not take this command line: it says so, and how to learn more, and prints nothing else.
inline void check_is_wrong(const std::vector<std::string>& argv) {
  const RunResult run = test_support::run_command_same(argv);
  std::string line;
  for (const auto& word : argv) line += " '" + word + "'";
  INFO(line << "\n" << run.err);
  CHECK(run.exit_code == 2);
  CHECK(contains(run.err, "detmpirun"));
  CHECK(contains(run.err, "--help"));
  CHECK(run.out.empty());
}

// The time-out only keeps a hang from taking the whole suite with it: no test is near it.
inline std::vector<std::string> job(int ranks, const std::string& name, std::vector<std::string> options = {},
                                    const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> argv = {detmpirun(), "-n", std::to_string(ranks), "--timeout=100"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.push_back(program(name));
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

// The job, with so little room that what is under way finds none all the time.
inline std::vector<std::string> with_least_room(std::vector<std::string> argv) {
  argv.insert(argv.begin(), {"env", "DETMPI_ROOM=least"});
  return argv;
}

// The first line in which two outputs differ, for people.
inline std::string difference(const RunResult& a, const RunResult& b) {
  size_t at = 0;
  while (at < a.out.size() && at < b.out.size() && a.out[at] == b.out[at]) ++at;
  if (at == a.out.size() && at == b.out.size()) return "the outputs are the same";
  const auto line = [at](const std::string& text) {
    const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  };
  return "'" + line(a.out) + "' and '" + line(b.out) + "'";
}

// Both ways of starting, by turns.
inline const char* next_start() {
  static size_t turn = 0;
  return kStarts[turn++ % std::size(kStarts)];
}

// Both ways of starting; with AddressSanitizer (sanitized.hpp) one of them, by turns.
inline std::vector<const char*> starts_to_compare() {
  if (test_support::kAddressSanitizer) return {next_start()};
  return {std::begin(kStarts), std::end(kStarts)};
}

// Once for each number of ranks.
inline void expect_success_once(const std::string& name, const std::vector<int>& numbers_of_ranks) {
  for (const int ranks : numbers_of_ranks) {
    const char* const start = next_start();
    const auto run = test_support::run_command(job(ranks, name, {start}));
    INFO(name << " on " << ranks << " ranks, " << start << "\n" << run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(run.err.empty());
    CHECK(!run.out.empty());
  }
}

// All its checks hold with every number of ranks, and it prints the same each time, however it is started.
inline void expect_same_everywhere(const std::string& name, const std::vector<int>& numbers_of_ranks) {
  if (test_support::kAddressSanitizer) return expect_success_once(name, numbers_of_ranks);
  for (const int ranks : numbers_of_ranks) {
    std::optional<RunResult> first;
    for (const char* start : {kStarts[0], kStarts[1], next_start()}) {
      const auto run = test_support::run_command(job(ranks, name, {start}));
      INFO(name << " on " << ranks << " ranks, " << start << "\n" << run.err);
      REQUIRE(run.exit_code == 0);
      CHECK(run.err.empty());
      CHECK(!run.out.empty());
      if (!first) first = run;
      INFO(difference(*first, run));
      REQUIRE(run == *first);
    }
  }
}

// The same output and digest, whichever way large messages take. Every way once: the runs are compared with each
// other, and expect_same_everywhere repeats the default one; more would take half a minute.
inline void expect_same_ways(const std::string& name, const std::vector<int>& numbers_of_ranks) {
  // It looks at the buffer of a receive that it has freed until something is there, so its calls are not the same.
  const bool no_digest = name == "completion";
  std::vector<const char*> ways = {"--direct-from=1", "least room", "--direct-from=never", "--direct-from=16K"};
  if (test_support::kAddressSanitizer) ways.resize(2);  // the others are mixtures of these
  for (const int ranks : numbers_of_ranks) {
    if (test_support::kAddressSanitizer && ranks != numbers_of_ranks.back()) continue;
    std::string first_output, first_digest;
    for (const char* way : ways) {
      const bool little = *way != '-';
      const auto argv = job(ranks, name, {little ? "--direct-from=never" : way, "--digest"});
      const auto run = test_support::run_command(little ? with_least_room(argv) : argv);
      INFO(name << " on " << ranks << " ranks, " << way << "\n" << run.err);
      REQUIRE(run.exit_code == 0);
      if (first_digest.empty()) first_output = run.out, first_digest = run.err;
      CHECK(run.out == first_output);
      CHECK((run.err == first_digest || no_digest));
    }
  }
}

}  // namespace mpi_test
