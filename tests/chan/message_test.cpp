// Messages arrive whole and in order: every mode, both policies, sizes around every border.
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

#include <base/sys.hpp>

#include "job.hpp"
#include "support/leak_check.hpp"

using namespace chan_job;

namespace {

const size_t kSizes[] = {0,    1,    15,   16,   17,    100,   1000,  4063,  4064,   4079,   4080,   4081,
                         4096, 4097, 8176, 8192, 12288, 60000, 65520, 65536, 100000, 524288, 700000, 1 << 20};

// One producer sends kSizes, each consumer prints nothing but proves each byte; the root prints what it got
// itself.
void send_sizes(chan_policy policy, size_t window) {
  const chan_id channel = make_channel(window);
  Child producer([=] {
    EXPECT(chan_set_policy(channel, policy) == 0);
    uint32_t number = 0;
    for (const size_t size : kSizes) send(channel, pattern(size, number++));
    send_last(channel, "the end");
    return 0;
  });
  EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
  producer.start();
  uint32_t number = 0;
  for (const size_t size : kSizes) {
    const std::string message = receive(channel);
    EXPECT(message == pattern(size, number++));
    std::printf("%zu %lx\n", message.size(), static_cast<unsigned long>(hash(message)));
  }
  EXPECT(receive(channel) == "the end");
  producer.join_well();
  EXPECT(chan_free(channel) == 0);
}

// One message of `size` bytes, each word another. Sender and receiver hold it as a whole.
void send_words(size_t size) {
  const auto word = [](size_t i) { return i * 0x9e3779b97f4a7c15u; };
  const chan_id channel = make_channel();
  Child producer([=] {
    std::vector<uint64_t> words(size / 8);
    for (size_t i = 0; i < words.size(); ++i) words[i] = word(i);
    EXPECT(chan_send(channel, words.data(), size) == 0);
    send_last(channel, "the end");
    return 0;
  });
  EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
  producer.start();
  EXPECT(chan_next_size(channel) == static_cast<ssize_t>(size));
  std::vector<uint64_t> words(size / 8);
  EXPECT(chan_recv(channel, words.data(), size) == static_cast<ssize_t>(size));
  size_t right = 0;
  for (size_t i = 0; i < words.size(); ++i) right += words[i] == word(i) ? 1 : 0;
  std::printf("%zu of %zu words\n", right, words.size());
  EXPECT(right == size / 8);
  EXPECT(receive(channel, 64) == "the end");
  producer.join_well();
}

// In bytes, without swap space; 0 if the system does not tell.
size_t free_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    size_t kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %zu kB", &kib) == 1) return kib << 10;
  }
  return 0;
}

}  // namespace

TEST_CASE("messages of all sizes arrive whole, in every mode, under both policies") {
  for (const Mode mode : kModes) {
    for (const chan_policy policy : {CHAN_EAGER, CHAN_LAZY}) {
      run_job(mode, [=] { send_sizes(policy, 0); });
    }
  }
}

TEST_CASE("a window of two pages carries messages of any size") {
  for (const Mode mode : kModes) run_job(mode, [] { send_sizes(CHAN_EAGER, 8192); });
  run_job(kDefaultMode, [] { send_sizes(CHAN_LAZY, 8192); });
}

TEST_CASE("many empty messages keep their number") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel(16384);
      Child producer([=] {
        for (int i = 0; i < 3000; ++i) EXPECT(chan_send(channel, nullptr, 0) == 0);
        send_last(channel, "x");
        return 0;
      });
      EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
      producer.start();
      int empty = 0;
      while (receive(channel, 16).empty()) ++empty;
      EXPECT(empty == 3000);
      producer.join_well();
    });
  }
}

TEST_CASE("three consumers get every message, each at its own pace") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel(65536);
      constexpr uint32_t kMessages = 400;
      std::vector<Child> consumers;
      consumers.reserve(3);
      for (int pace = 0; pace < 3; ++pace) {
        Child& consumer = consumers.emplace_back();
        consumer.body([=] {
          std::string buffer(20000, '\0');
          for (uint32_t i = 0; i < kMessages; ++i) {
            if (pace > 0 && i % 100 == 0) spmc::base::sleep_ns(static_cast<uint64_t>(pace) * 3'000'000);
            const ssize_t size = chan_recv(channel, buffer.data(), buffer.size());
            EXPECT(size == i * 37 % 20000);
            EXPECT(buffer.compare(0, static_cast<size_t>(size), pattern(static_cast<size_t>(size), i)) == 0);
          }
          return 0;
        });
        EXPECT(chan_setcons(channel, consumer.number()) == 0);
        consumer.start();
      }
      for (uint32_t i = 0; i < kMessages; ++i) send(channel, pattern(i * 37 % 20000, i));
      for (Child& consumer : consumers) consumer.join_well();
    });
  }
}

TEST_CASE("two spaces talk to each other, and the root stays out of it") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id there = make_channel(), back = make_channel();
      Child left([=] {
        std::string token = "0";
        for (int i = 0; i < 300; ++i) {
          send(there, token);
          token = receive(back, 64);
        }
        return token == "600" ? 0 : 1;
      });
      Child right([=] {
        for (int i = 0; i < 300; ++i) send(back, std::to_string(std::stoi(receive(there, 64)) + 2));
        return 0;
      });
      EXPECT(chan_setprod(there, left.number(), 0) == 0);
      EXPECT(chan_setcons(there, right.number()) == 0);
      EXPECT(chan_setprod(back, right.number(), 0) == 0);
      EXPECT(chan_setcons(back, left.number()) == 0);
      left.start();
      right.start();
      left.join_well();
      right.join_well();
    });
  }
}

TEST_CASE("a message of many megabytes passes through a small window") {
  run_job(kDefaultMode, [] { send_words(size_t{64} << 20); });
}

// Hidden, for it needs 10 GiB of memory and most of a minute: chan_message_test "a message of several*".
TEST_CASE("a message of several gigabytes keeps its size and every word", "[.]") {
  constexpr size_t kSize = (size_t{5} << 30) + 24;
  if (free_memory() < size_t{12} << 30) {
    test_support::skip_test("this takes 12 GiB of free memory");
    return;
  }
  run_job(kDefaultMode, [] { send_words(kSize); });
}
