#include "job.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <space/space.h>

namespace chan_job {

namespace {

int run_root(Mode mode, const std::function<void()>& root, int spaces) {
  setenv("DLINUX_NO_REEXEC", "1", 1);
  EXPECT(space_init(spaces) == 0);
  EXPECT(spmc_set_mode(mode) == 0);
  root();
  const char* broken = spmc_check_all_invariants();
  if (broken != nullptr) std::fprintf(stderr, "invariant broken: %s\n", broken);
  EXPECT(broken == nullptr);
  return 0;
}

}  // namespace

test_support::RunResult run_job(Mode mode, const std::function<void()>& root, int spaces) {
  const auto runs = test_support::run_twice([&] { return run_root(mode, root, spaces); });
  INFO("mode " << spmc_mode_name(mode) << ", standard error:\n" << runs.first.err << runs.second.err);
  CHECK(runs.first.exit_code == 0);
  CHECK(runs.first.signal == 0);
  CHECK(runs.second.exit_code == 0);
  CHECK(runs.first.out == runs.second.out);
  return runs.first;
}

Child::Child(std::function<int()> body) : body_(std::move(body)) {
  static int next_gid = 1;
  number_ = space_alloc(next_gid++);
  EXPECT(number_ > 0);
}

void Child::start() {
  std::fflush(nullptr);
  const auto run = [](void* body) { return (*static_cast<std::function<int()>*>(body))(); };
  EXPECT(space_start(number_, run, &body_) == 0);
}

int Child::join() {
  EXPECT(space_join(number_) == 0);
  space_exit_info info;
  EXPECT(space_status(number_, &info) == 0);
  return info.signal != 0 ? 1000 + info.signal : info.exit_code;
}

void Child::join_well() {
  const int status = join();
  if (status != 0) std::fprintf(stderr, "a child ended with status %d\n", status);
  EXPECT(status == 0);
}

void expect_failure(bool failed, int code, const char* text, const char* call, const char* file, int line) {
  const int got = errno;
  if (failed && got == code && std::strstr(chan_last_error(), text) != nullptr) return;
  std::fprintf(stderr, "%s:%d: %s: expected %s and \"%s\", got %s: %s: %s\n", file, line, call, std::strerror(code),
               text, failed ? "failure" : "success", std::strerror(got), chan_last_error());
  _Exit(1);
}

std::string pattern(size_t size, uint32_t message) {
  std::string bytes(size, '\0');
  uint64_t word = (message + 1) * 0x9e3779b97f4a7c15u;
  for (char& byte : bytes) {
    word = word * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(word >> 56);
  }
  return bytes;
}

uint64_t hash(const std::string& bytes, uint64_t seed) {
  for (const char byte : bytes) seed = (seed ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return seed;
}

void send(chan_id channel, const std::string& message) {
  EXPECT(chan_send(channel, message.data(), message.size()) == 0);
}

void send_last(chan_id channel, const std::string& message) {
  EXPECT(chan_sendLast(channel, message.data(), message.size()) == 0);
}

std::string receive(chan_id channel, size_t capacity) {
  std::string message(capacity, '\0');
  const ssize_t size = chan_recv(channel, message.data(), message.size());
  EXPECT(size >= 0);
  message.resize(static_cast<size_t>(size));
  return message;
}

chan_id make_channel(size_t window) {
  const chan_id channel = window == 0 ? chan_alloc() : chan_alloc_window(window);
  EXPECT(channel > 0);
  return channel;
}

spmc::base::Mapping partly_readable() {
  auto memory = spmc::base::Mapping::try_reserve_at(reinterpret_cast<void*>(0x6800'0000'0000), 1 << 20);
  EXPECT(memory.ok());
  EXPECT(spmc::base::protect(memory.value().base(), 128 << 10, spmc::base::Protection::kReadWrite).ok());
  return std::move(memory).value();
}

void Steps::start(std::function<void(int step)> act, int steps) {
  child_.body([told = told_, done = done_, act = std::move(act), steps] {
    for (int step = 0; step < steps; ++step) {
      receive(told, 16);
      act(step);
      send(done, "");
    }
    receive(told, 16);
    return 0;
  });
  EXPECT(chan_setcons(told_, child_.number()) == 0);
  EXPECT(chan_setprod(done_, child_.number(), 1) == 0);
  child_.start();
}

void Steps::step() {
  send(told_, "");
  receive(done_, 16);
}

void Steps::end() {
  send(told_, "");
  child_.join_well();
}

}  // namespace chan_job

void test_support::expectation_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: expected %s (errno %s; %s; %s; %s)\n", file, line, what, std::strerror(errno),
               chan_last_error(), spmc_last_error(), space_last_error());
  _Exit(1);
}
