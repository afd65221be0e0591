// How a stream ends: by stream_end, or broken off; what is visible until then; and how much memory it takes.
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <space/space.h>
#include <base/sys.hpp>
#include <spmc/frames.hpp>

#include "job.hpp"
#include "stream_job.hpp"

using namespace chan_job;

namespace {

// Reads `size` bytes at a time until the stream breaks off; all that comes must be right.
int read_until_broken(stream_id stream, size_t size) {
  const std::string expected = pattern(size, 0);
  std::string buffer(size, '\0');
  for (;;) {
    const ssize_t got = stream_read(stream, buffer.data(), size);
    if (got < 0) {
      EXPECT(errno == EPIPE);
      EXPECT_FAILS(stream_write(-1, "", 0), EBADF, "no stream");  // whose sentence must not come again
      EXPECT_FAILS(stream_read(stream, buffer.data(), 1), EPIPE, "was not ended by its producer");
      EXPECT_FAILS(stream_skip(stream, 1), EPIPE, "was not ended by its producer");
      EXPECT_FAILS(stream_test(stream), EPIPE, "was not ended by its producer");
      return 0;
    }
    EXPECT(static_cast<size_t>(got) == size && buffer == expected);
  }
}

}  // namespace

TEST_CASE("a producer killed at any moment breaks the stream off") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      unsigned seed = 11;
      for (int round = 0; round < 4; ++round) {
        const stream_id stream = make_stream(65536);
        const size_t size = round % 2 == 0 ? 300'000 : 700;
        Child producer([=]() -> int {
          for (;;) write(stream, pattern(size, 0));
        });
        Child consumer([=] { return read_until_broken(stream, size); });
        EXPECT(stream_setprod(stream, producer.number(), 0) == 0);
        EXPECT(stream_setcons(stream, consumer.number()) == 0);
        consumer.start();
        producer.start();
        spmc::base::sleep_ns(static_cast<uint64_t>(rand_r(&seed) % 15) * kMillisecond);
        EXPECT(space_kill(producer.number()) == 0);
        consumer.join_well();
      }
    });
  }
}

TEST_CASE("a producer that crashes within a write leaves an error to those who read it and to those who skip it") {
  for (const Mode mode : kModes) {
    for (const bool skips : {false, true}) {
      run_job(mode, [=] {
        const stream_id stream = make_stream();
        Child producer([=] {
          write(stream, "whole");
          EXPECT(stream_flush(stream) == 0);
          const auto memory = partly_readable();
          return stream_write(stream, memory.base(), memory.size());
        });
        EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
        producer.start();
        EXPECT(read_all(stream, 5) == "whole");
        std::string buffer(300'000, '\0');
        const ssize_t got =
            skips ? stream_skip(stream, buffer.size()) : stream_read(stream, buffer.data(), buffer.size());
        EXPECT_FAILS(got, EPIPE, "stream_");
        EXPECT_FAILS(stream_skip(stream, 1), EPIPE, "stream_skip");
        EXPECT(producer.join() != 0);
      });
    }
  }
}

TEST_CASE("without stream_end the end of a producer is an error, once everything is read") {
  for (const Mode mode : kModes) {
    for (const bool frees : {true, false}) {
      run_job(mode, [=] {
        const stream_id stream = make_stream(8192);
        Child producer([=] {
          write(stream, pattern(10'000, 4));
          EXPECT((frees ? stream_free(stream) : stream_flush(stream)) == 0);
          return 0;
        });
        EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
        producer.start();
        EXPECT(read_all(stream, 9'000) == pattern(10'000, 4).substr(0, 9'000));
        // One byte more than there is.
        std::string rest(1'001, '\0');
        EXPECT_FAILS(stream_read(stream, rest.data(), rest.size()), EPIPE, "stream_read");
        EXPECT_FAILS(stream_read(stream, rest.data(), 1), EPIPE, "not ended by its producer");
        producer.join_well();
      });
    }
  }
}

TEST_CASE("a producer that was never started breaks its stream off") {
  run_job(kDefaultMode, [] {
    const stream_id stream = make_stream();
    Child producer;
    EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
    EXPECT(space_join(producer.number()) == 0);
    char byte;
    EXPECT_FAILS(stream_read(stream, &byte, 1), EPIPE, "stream_read");
  });
}

TEST_CASE("a killed consumer does not hold the producer back, nor does one that frees its end") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const stream_id stream = make_stream(16384);
      Child stuck([=]() -> int {
        EXPECT(read_all(stream, 1'000) == pattern(100'000, 0).substr(0, 1'000));
        for (;;) spmc::base::sleep_ns(1000 * kMillisecond);
      });
      Child leaves([=] {
        EXPECT(read_all(stream, 1'000) == pattern(100'000, 0).substr(0, 1'000));
        EXPECT(stream_free(stream) == 0);
        return 0;
      });
      Child other([=] {
        for (int i = 0; i < 50; ++i) EXPECT(read_all(stream, 100'000) == pattern(100'000, 0));
        return 0;
      });
      Child producer([=] {
        for (int i = 0; i < 50; ++i) write(stream, pattern(100'000, 0));
        return stream_end(stream);
      });
      EXPECT(stream_setprod(stream, producer.number(), 0) == 0);
      for (Child* consumer : {&stuck, &leaves, &other}) {
        EXPECT(stream_setcons(stream, consumer->number()) == 0);
        consumer->start();
      }
      producer.start();
      leaves.join_well();
      spmc::base::sleep_ns(10 * kMillisecond);  // the producer comes to a stop behind the stuck one
      EXPECT(space_kill(stuck.number()) == 0);
      producer.join_well();
      other.join_well();
    });
  }
}

TEST_CASE("what is written becomes visible by a flush, a full page, or the end") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const stream_id stream = make_stream();
      Steps producer;
      EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
      const auto act = [=](int step) {
        if (step == 0) write(stream, "abc");
        if (step == 1) EXPECT(stream_flush(stream) == 0);
        if (step == 2 || step == 3) write(stream, pattern(4'000, 0));
        if (step == 4) EXPECT(stream_end(stream) == 0);
      };
      producer.start(act, 5);
      const auto step = [&](int visible) {
        producer.step();
        EXPECT(stream_test(stream) == visible);
      };
      step(0);
      step(1);
      EXPECT(read_all(stream, 3) == "abc");
      step(0);
      step(1);
      EXPECT(read_all(stream, 4'000) == pattern(4'000, 0));
      step(1);
      EXPECT(read_all(stream, 5'000) == pattern(4'000, 0));
      EXPECT(stream_test(stream) == 1);
      producer.end();
    });
  }
}

TEST_CASE("an endless stream lives in bounded memory, and gives it back") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      // 64 generations of 16 pages and their anchor and extension pages; the stream has 4900 pages.
      constexpr size_t kMostFrames = 64 * (16 + 3);
      const size_t before = spmc::frames_in_use();
      const stream_id stream = make_stream(65536);
      Child producer([=] {
        for (int i = 0; i < 400; ++i) {
          write(stream, pattern(50'000, 0));
          if (i % 7 == 0) EXPECT(stream_flush(stream) == 0);
        }
        return stream_end(stream);
      });
      EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
      producer.start();
      for (int i = 0; i < 400; ++i) {
        EXPECT(read_all(stream, 50'000) == pattern(50'000, 0));
        EXPECT(spmc::frames_in_use() - before <= kMostFrames);
      }
      EXPECT(read_all(stream, 1).empty());
      producer.join_well();
      EXPECT(stream_free(stream) == 0);
      EXPECT(spmc::frames_in_use() == before);
    });
  }
}

TEST_CASE("without memory a write fails, frees the end, and breaks the stream off") {
  const auto result = test_support::run_same([] {
    setenv("DLINUX_NO_REEXEC", "1", 1);
    spmc_config config{};
    config.spaces = 4;
    config.frame_bytes = 1 << 20;  // less than the stream's windows
    EXPECT(spmc_init_with(&config) == 0);
    EXPECT(space_init(4) == 0);
    const stream_id stream = make_stream();
    Child consumer([=] {
      EXPECT(space_ret() == 0);  // reads once the producer has failed
      return read_until_broken(stream, 1'000);
    });
    EXPECT(stream_setcons(stream, consumer.number()) == 0);
    consumer.start();
    int written = 0;
    while (stream_write(stream, pattern(1'000, 0).data(), 1'000) == 0) written += 1;
    EXPECT(errno == ENOMEM && written > 100);
    EXPECT_FAILS(stream_write(stream, "x", 1), EBADF, "freed its end");
    EXPECT(space_sync(consumer.number(), 1) == 1);
    consumer.join_well();
    return 0;
  });
  INFO(result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("a producer waits for the slowest consumer") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const stream_id stream = make_stream(size_t{2} << 20);
      const chan_id marks = make_channel();
      // Two windows are alive at most, so the producer cannot be at its third before anybody reads.
      Child producer([=] {
        const std::string bytes = pattern(1 << 20, 0);
        for (int i = 0; i < 12; ++i) {
          write(stream, bytes);
          send(marks, std::to_string(i));
        }
        return stream_end(stream);
      });
      EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
      EXPECT(chan_setprod(marks, producer.number(), 1) == 0);
      producer.start();
      for (int i = 0; i < 2; ++i) receive(marks);
      spmc::base::sleep_ns(30 * kMillisecond);
      int ahead = 2;
      for (; chan_test(marks) == 1; ++ahead) receive(marks);
      EXPECT(ahead <= 4);
      for (int i = 0; i < 12; ++i) EXPECT(read_all(stream, 1 << 20) == pattern(1 << 20, 0));
      EXPECT(read_all(stream, 1).empty());
      producer.join_well();
    });
  }
}
