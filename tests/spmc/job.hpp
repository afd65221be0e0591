// A small job for tests of SPMC memory: the first space, and children started by a bare fork where the space
// layer would do more. A test's body runs in a process of its own (run_twice), uses NEED and never a Catch
// macro.
#pragma once

#include <spmc/spmc.h>
#include <spmc/hooks.hpp>
#include <spmc/region.hpp>
#include <spmc/self.hpp>

#include <base/check.hpp>
#include <base/sys.hpp>
#include <base/wait.hpp>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "support/run_child.hpp"

#define NEED(condition)                                                                          \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      std::fprintf(stderr, "%s:%d: space %u: not true: %s (errno %d, %s)\n", __FILE__, __LINE__, \
                   spmc::current_space().value, #condition, errno, spmc_last_error());           \
      std::fflush(nullptr);                                                                      \
      spmc::base::die(99);                                                                       \
    }                                                                                            \
  } while (false)

// The call fails with this errno and leaves a sentence.
#define NEED_ERRNO(call, code)     \
  do {                             \
    errno = 0;                     \
    NEED((call) == -1);            \
    NEED(errno == (code));         \
    NEED(*spmc_last_error() != 0); \
  } while (false)

namespace spmc_test {

inline constexpr size_t kPage = SPMC_PAGE_SIZE;

struct Ended {
  int exit_code = -1;
  int signal = 0;
};

class Job {
 public:
  explicit Job(const char* mode = "b.wr2", uint64_t frame_bytes = 64 << 20, uint64_t window_bytes = 0);

  // Runs `body` as space `id`; its result is the exit code.
  template <typename Body>
  void start(uint32_t id, Body&& body) {
    std::fflush(nullptr);
    const uint32_t parent = spmc::current_space().value;
    auto forked = spmc::base::fork_tied();
    NEED(forked.ok());
    if (forked.value() != 0) return note_child(id, forked.value());
    begin_child(id, parent);
    const int code = body();
    std::fflush(nullptr);
    spmc::base::die(code);
  }

  pid_t pid(uint32_t id) const { return pids_.at(id); }
  void signal(uint32_t id, int number) { NEED(spmc::base::send_signal(pid(id), number).ok()); }

  // Waits for the end of space `id` and reaps it.
  Ended join(uint32_t id);
  // The same, and the exit code must be 0.
  void join_well(uint32_t id) { NEED(join(id).exit_code == 0); }

  // Nothing may be wrong, and no frame in use but these.
  static void check(size_t frames_expected);

 private:
  void begin_child(uint32_t id, uint32_t parent);
  void note_child(uint32_t id, pid_t pid);

  std::map<uint32_t, pid_t> pids_;
};

inline std::byte* at(void* region, size_t offset) { return static_cast<std::byte*>(region) + offset; }

// Bytes that tell position and seed.
std::vector<std::byte> pattern(size_t bytes, uint32_t seed);
bool is_pattern(const std::byte* bytes, size_t size, uint32_t seed);

inline const std::vector<std::string>& all_modes() {
  static const std::vector<std::string> modes = {"b.nwr", "b.wr", "b.wr2", "nb.nwr", "nb.wr", "nb.wr2"};
  return modes;
}

// `body` runs in a job in each mode, twice, and must end well and the same.
template <typename Body>
void in_every_mode(Body&& body) {
  for (const std::string& mode : all_modes()) {
    INFO(mode);
    const auto runs = test_support::run_twice([&] {
      Job job(mode.c_str());
      body(job);
      return 0;
    });
    CHECK(runs.first.err == "");
    CHECK(runs.first.exit_code == 0);
    CHECK(runs.first == runs.second);
  }
}

// `body(Job&)` in the default mode, twice; gives the first run for a look at what was printed.
template <typename Body>
test_support::RunResult in_a_job(Body&& body) {
  const auto runs = test_support::run_twice([&] {
    Job job;
    body(job);
    return 0;
  });
  INFO(runs.first.err);
  CHECK(runs.first.exit_code == 0);
  CHECK(runs.first == runs.second);
  CHECK(runs.first.err == runs.second.err);
  return runs.first;
}

}  // namespace spmc_test
