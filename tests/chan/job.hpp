// A job for one test: a root space and its children, in a process of its own.
//
//   run_job(mode, [] {                    // in the root space
//     Child consumer([=] { ...; return 0; });   // allocated, not started; the body may use what is set up
//     before start()
//     ...
//   });
//
// The root's body runs in a forked child of the test runner, so no Catch macro may be used in it: EXPECT ends
// the space with status 1 and a line on standard error. Everything runs twice, and standard output is
// compared as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <chan/chan.h>
#include <spmc/spmc.h>
#include <base/mapping.hpp>

#include "support/expect.hpp"
#include "support/run_child.hpp"

namespace chan_job {

inline constexpr uint64_t kMillisecond = 1'000'000;

using Mode = int;
inline constexpr Mode kDefaultMode = SPMC_WR2;
inline constexpr Mode kModes[] = {
    SPMC_NWR, SPMC_WR, SPMC_WR2, SPMC_NWR | SPMC_NONBLOCKING, SPMC_WR | SPMC_NONBLOCKING, SPMC_WR2 | SPMC_NONBLOCKING,
};

// Runs the body as the root space of a new job, in both of two processes; afterwards the invariants must hold
// and no frame may be left in use. Reports through Catch.
test_support::RunResult run_job(Mode mode, const std::function<void()>& root, int spaces = 16);

// A child space of the caller.
class Child {
 public:
  explicit Child(std::function<int()> body = {});
  int number() const { return number_; }
  void body(std::function<int()> body) { body_ = std::move(body); }
  void start();
  // Waits for its end; its exit status, or 1000 + its signal.
  int join();
  // Expects exit status 0.
  void join_well();

 private:
  int number_;
  std::function<int()> body_;
};

// Expects the failure with `code`, and that the sentence contains `text`.
#define EXPECT_FAILS(call, code, text)                                              \
  do {                                                                              \
    const auto result_ = (call);                                                    \
    ::chan_job::expect_failure(result_ < 0, code, text, #call, __FILE__, __LINE__); \
  } while (false)
void expect_failure(bool failed, int code, const char* text, const char* call, const char* file, int line);

// Byte i of message number `message`: every byte of every message differs from its neighbours.
std::string pattern(size_t size, uint32_t message);
uint64_t hash(const std::string& bytes, uint64_t seed = 1469598103934665603u);

// Shorthands that expect success.
void send(chan_id channel, const std::string& message);
void send_last(chan_id channel, const std::string& message);
std::string receive(chan_id channel, size_t capacity = 1 << 22);
chan_id make_channel(size_t window = 0);

// 1 MiB, of which reading behind the first 128 KiB is a fault. One at a time in a space.
spmc::base::Mapping partly_readable();

// A child that goes on when it is told to: `act` of each step, then it says so; the caller looks in between.
class Steps {
 public:
  // The child, to be given what it acts on before start().
  int number() const { return child_.number(); }
  void start(std::function<void(int step)> act, int steps);
  void step();
  // After the last step.
  void end();

 private:
  chan_id told_ = make_channel(), done_ = make_channel();
  Child child_;
};

}  // namespace chan_job
