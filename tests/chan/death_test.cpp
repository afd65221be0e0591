// Ends die at any time, also within a message: nobody hangs, nothing is left behind.
#include <unistd.h>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <space/space.h>
#include <base/sys.hpp>

#include "job.hpp"

using namespace chan_job;

namespace {

// Receives patterns until the channel breaks off; whatever arrives whole must be right.
int receive_to_the_end(chan_id channel, size_t size) {
  std::string buffer(size, '\0');
  for (uint32_t i = 0;; ++i) {
    const ssize_t got = chan_recv(channel, buffer.data(), buffer.size());
    if (got < 0) {
      EXPECT(errno == EPIPE);
      return 0;
    }
    EXPECT(static_cast<size_t>(got) == size && buffer == pattern(size, i));
  }
}

[[noreturn]] void send_for_ever(chan_id channel, size_t size) {
  for (uint32_t i = 0;; ++i) send(channel, pattern(size, i));
}

}  // namespace

TEST_CASE("a producer killed at any moment ends its consumers' waiting") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      unsigned seed = 7;
      for (int round = 0; round < 4; ++round) {
        const chan_id channel = make_channel(65536);
        const size_t size = round % 2 == 0 ? 3'000'000 : 900;
        Child producer([=]() -> int { send_for_ever(channel, size); });
        Child consumer([=] { return receive_to_the_end(channel, size); });
        EXPECT(chan_setprod(channel, producer.number(), 0) == 0);
        EXPECT(chan_setcons(channel, consumer.number()) == 0);
        consumer.start();
        producer.start();
        spmc::base::sleep_ns(static_cast<uint64_t>(rand_r(&seed) % 15) * kMillisecond);
        EXPECT(space_kill(producer.number()) == 0);
        consumer.join_well();
      }
    });
  }
}

TEST_CASE("a producer that crashes within a message leaves an error, not half a message") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel();
      Child producer([=] {
        send(channel, "whole");
        const auto memory = partly_readable();
        return chan_send(channel, memory.base(), memory.size());
      });
      EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
      producer.start();
      EXPECT(receive(channel) == "whole");
      EXPECT(chan_next_size(channel) == 1 << 20);
      std::string buffer(1 << 20, '\0');
      EXPECT_FAILS(chan_recv(channel, buffer.data(), buffer.size()), EPIPE, "chan_recv");
      EXPECT_FAILS(chan_recv(channel, buffer.data(), buffer.size()), EPIPE, "chan_recv");
      EXPECT_FAILS(chan_next_size(channel), EPIPE, "chan_next_size");
      EXPECT_FAILS(chan_test(channel), EPIPE, "chan_test");
      EXPECT(producer.join() != 0);
      EXPECT(chan_free(channel) == 0);
    });
  }
}

TEST_CASE("after the producer's end its consumers drain what it sent, then get EPIPE") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel(), silent = make_channel();
      Child producer([=] {
        for (uint32_t i = 0; i < 9; ++i) send(channel, pattern(5000, i));
        return 0;
      });
      EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
      EXPECT(chan_setprod(silent, producer.number(), 1) == 0);
      producer.start();
      producer.join_well();
      for (uint32_t i = 0; i < 9; ++i) EXPECT(receive(channel) == pattern(5000, i));
      char byte;
      for (const chan_id id : {channel, silent}) {
        EXPECT_FAILS(chan_recv(id, &byte, 1), EPIPE, "chan_recv");
        EXPECT_FAILS(chan_next_size(id), EPIPE, "chan_next_size");
        EXPECT_FAILS(chan_test(id), EPIPE, "chan_test");
        EXPECT(chan_free(id) == 0);
      }
    });
  }
}

namespace {

int g_calls = 0;

void hold_back_sigchld(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(how, &set, nullptr);
}

// What a program may do with the signal by which its children's ends are noticed.
void (*const kTreatments[])() = {
    [] { hold_back_sigchld(SIG_BLOCK); },
    [] { std::signal(SIGCHLD, SIG_IGN); },
    [] { std::signal(SIGCHLD, SIG_DFL); },
    [] { std::signal(SIGCHLD, [](int) { ++g_calls; }); },
};

// A child that sends a message when it is told to, and ends.
struct Speaker {
  chan_id go = make_channel(), data = make_channel(8192);
  Child child;
  Speaker()
      : child([go = go, data = data] {
          receive(go);
          send(data, "alive");
          return 0;
        }) {
    EXPECT(chan_setcons(go, child.number()) == 0);
    EXPECT(chan_setprod(data, child.number(), 1) == 0);
  }
};

}  // namespace

TEST_CASE("a producer's end is seen whatever the program does with SIGCHLD") {
  for (const Mode mode : kModes) {
    for (void (*const treat)() : kTreatments) {
      run_job(mode, [=] {
        Speaker speaker;
        speaker.child.start();
        treat();
        send(speaker.go, "");
        EXPECT(receive(speaker.data) == "alive");
        char byte;
        EXPECT_FAILS(chan_recv(speaker.data, &byte, 1), EPIPE, "chan_recv");
        speaker.child.join_well();
        hold_back_sigchld(SIG_UNBLOCK);
      });
    }
  }
}

TEST_CASE("a consumer's end is seen by a producer that waits for it, whatever the program does with SIGCHLD") {
  for (void (*const treat)() : kTreatments) {
    run_job(kDefaultMode, [=] {
      const chan_id channel = make_channel(8192), go = make_channel();
      Child consumer([=] { return receive(go) == "" ? 0 : 1; });
      EXPECT(chan_setcons(channel, consumer.number()) == 0);
      EXPECT(chan_setcons(go, consumer.number()) == 0);
      consumer.start();
      treat();
      send(go, "");
      for (uint32_t i = 0; i < 1500; ++i) send(channel, pattern(4000, i));
      consumer.join_well();
    });
  }
}

TEST_CASE("in a program that was started with SIGCHLD held back a sibling sees a producer's end") {
  const auto run = test_support::run_same([] {
    setenv("DLINUX_NO_REEXEC", "1", 1);
    hold_back_sigchld(SIG_BLOCK);
    EXPECT(space_init(8) == 0);
    int seen[2];
    EXPECT(pipe(seen) == 0);
    const chan_id channel = make_channel();
    Child producer([] { return 0; });
    Child consumer([=] {
      char byte = 0;
      EXPECT_FAILS(chan_recv(channel, &byte, 1), EPIPE, "chan_recv");
      return write(seen[1], &byte, 1) == 1 ? 0 : 1;
    });
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    EXPECT(chan_setprod(channel, producer.number(), 0) == 0);
    consumer.start();
    producer.start();
    char byte;
    while (read(seen[0], &byte, 1) != 1) EXPECT(errno == EINTR);  // the root is in no call of ours meanwhile
    consumer.join_well();
    producer.join_well();
    return 0;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a killed consumer does not hold the producer back") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel(65536), told = make_channel();
      Child stuck([=]() -> int {
        EXPECT(receive(channel) == pattern(100'000, 0));
        for (;;) spmc::base::sleep_ns(1000 * kMillisecond);
      });
      Child other([=] {
        for (uint32_t i = 0; i < 100; ++i) EXPECT(receive(channel) == pattern(100'000, i));
        return 0;
      });
      Child producer([=] {
        for (uint32_t i = 0; i < 3; ++i) send(channel, pattern(100'000, i));
        send(told, "now");
        for (uint32_t i = 3; i < 100; ++i) send(channel, pattern(100'000, i));
        return 0;
      });
      EXPECT(chan_setprod(channel, producer.number(), 0) == 0);
      EXPECT(chan_setcons(channel, stuck.number()) == 0);
      EXPECT(chan_setcons(channel, other.number()) == 0);
      EXPECT(chan_setprod(told, producer.number(), 1) == 0);
      stuck.start();
      other.start();
      producer.start();
      EXPECT(receive(told) == "now");
      spmc::base::sleep_ns(20 * kMillisecond);  // the producer comes to a stop behind the stuck one
      EXPECT(space_kill(stuck.number()) == 0);
      producer.join_well();
      other.join_well();
    });
  }
}

TEST_CASE("a producer without consumers drops its messages") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel(8192);
    Child consumer([=]() -> int {
      for (;;) spmc::base::sleep_ns(1000 * kMillisecond);
    });
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    consumer.start();
    send(channel, "first");
    EXPECT(space_kill(consumer.number()) == 0);
    for (uint32_t i = 0; i < 3000; ++i) send(channel, pattern(4000, i));
  });
}

TEST_CASE("the end of a producer's parent reaches a consumer that waits") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel();
      Child middle([=]() -> int {
        Child producer([=]() -> int {
          send(channel, "alive");
          for (;;) spmc::base::sleep_ns(1000 * kMillisecond);
        });
        EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
        producer.start();
        EXPECT(receive(channel) == "alive");
        std::raise(SIGKILL);
        return 0;
      });
      EXPECT(chan_setprod(channel, middle.number(), 1) == 0);
      middle.start();
      EXPECT(receive(channel) == "alive");
      char byte;
      EXPECT_FAILS(chan_recv(channel, &byte, 1), EPIPE, "chan_recv");
      EXPECT(middle.join() == 1000 + SIGKILL);
    });
  }
}

TEST_CASE("a child that never starts gives its ends back") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel(), other = make_channel();
    Child never, producer;
    EXPECT(chan_setcons(channel, never.number()) == 0);
    EXPECT(chan_setprod(other, producer.number(), 1) == 0);
    EXPECT(space_join(never.number()) == 0);
    EXPECT(space_join(producer.number()) == 0);
    for (uint32_t i = 0; i < 3000; ++i) send(channel, pattern(4000, i));
    char byte;
    EXPECT_FAILS(chan_recv(other, &byte, 1), EPIPE, "chan_recv");
    // The next child may get the place of one of them, but not its ends.
    Child next([=] {
      char mine;
      EXPECT_FAILS(chan_recv(channel, &mine, 1), EPERM, "not handed");
      EXPECT_FAILS(chan_send(other, &mine, 1), EPERM, "not handed");
      return 0;
    });
    next.start();
    next.join_well();
  });
}

TEST_CASE("with the root killed, nothing of the job remains") {
  // The leak check of the test runner finds survivors.
  const auto result = test_support::run_same([] {
    setenv("DLINUX_NO_REEXEC", "1", 1);
    EXPECT(space_init(8) == 0);
    const chan_id channel = make_channel();
    Child producer([=]() -> int { send_for_ever(channel, 70000); });
    Child consumer([=] { return receive_to_the_end(channel, 70000); });
    EXPECT(chan_setprod(channel, producer.number(), 0) == 0);
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    producer.start();
    consumer.start();
    spmc::base::sleep_ns(10 * kMillisecond);
    std::raise(SIGKILL);
    return 0;
  });
  CHECK(result.signal == SIGKILL);
}
