// A stream carries bytes: in whatever amounts they are written and read, every consumer gets the same ones.
#include <catch2/catch.hpp>
#include <cstdio>

#include <base/sys.hpp>

#include "job.hpp"
#include "stream_job.hpp"

using namespace chan_job;

namespace {

// Amounts around every border: of a record, a page, a portion, a window; and nothing at all.
size_t amount(unsigned* seed) {
  static const size_t kBorders[] = {0, 1, 16, 4064, 4080, 4096, 8160, 8192, 65536, 131072};
  const auto choice = static_cast<unsigned>(rand_r(seed));
  if (choice % 4 == 0) return kBorders[choice / 4 % std::size(kBorders)] + choice / 64 % 3;
  if (choice % 4 == 1) return choice / 4 % 40;
  return choice / 4 % 20000;
}

// Writes all of `bytes`, flushing now and then.
void write_in_amounts(stream_id stream, const std::string& bytes, unsigned seed) {
  for (size_t done = 0; done < bytes.size();) {
    const size_t size = std::min(amount(&seed), bytes.size() - done);
    EXPECT(stream_write(stream, bytes.data() + done, size) == 0);
    done += size;
    if (rand_r(&seed) % 5 == 0) EXPECT(stream_flush(stream) == 0);
  }
  EXPECT(stream_end(stream) == 0);
}

// Reads to the end; each read gives what was asked for, or the rest. Some bytes are passed over.
void read_in_amounts(stream_id stream, const std::string& expected, unsigned seed) {
  std::string buffer(1 << 18, '\0');
  for (size_t done = 0;;) {
    const size_t asked = amount(&seed) + 1, due = std::min(asked, expected.size() - done);
    if (rand_r(&seed) % 6 == 0) {
      EXPECT(stream_skip(stream, asked) == static_cast<ssize_t>(due));
    } else {
      EXPECT(stream_read(stream, buffer.data(), asked) == static_cast<ssize_t>(due));
      EXPECT(expected.compare(done, due, buffer, 0, due) == 0);
    }
    done += due;
    if (due == 0) break;
  }
}

}  // namespace

TEST_CASE("any amounts, in every mode, through large and small windows") {
  for (const Mode mode : kModes) {
    for (const size_t window : {size_t{0}, size_t{8192}, size_t{16384}}) {
      run_job(mode, [=] {
        const std::string bytes = pattern(1'500'000, 3);
        for (unsigned seed = 1; seed <= 3; ++seed) {
          const stream_id stream = make_stream(window);
          Child producer([&] {
            write_in_amounts(stream, bytes, seed);
            return 0;
          });
          EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
          producer.start();
          read_in_amounts(stream, bytes, seed + 100);
          producer.join_well();
          EXPECT(stream_free(stream) == 0);
        }
      });
    }
  }
}

TEST_CASE("bytes written one at a time are read in one piece, and the other way round") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const std::string bytes = pattern(30'000, 1);
      for (const bool single_writes : {true, false}) {
        const stream_id stream = make_stream(12288);
        Child producer([&] {
          const size_t step = single_writes ? 1 : bytes.size();
          for (size_t i = 0; i < bytes.size(); i += step) EXPECT(stream_write(stream, bytes.data() + i, step) == 0);
          EXPECT(stream_end(stream) == 0);
          return 0;
        });
        EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
        producer.start();
        std::string got(bytes.size(), '\0');
        const size_t step = single_writes ? got.size() : 1;
        for (size_t i = 0; i < got.size(); i += step) {
          EXPECT(stream_read(stream, got.data() + i, step) == static_cast<ssize_t>(step));
        }
        EXPECT(got == bytes);
        EXPECT(stream_read(stream, got.data(), 1) == 0);
        producer.join_well();
        EXPECT(stream_free(stream) == 0);
      }
    });
  }
}

TEST_CASE("three consumers read everything, in amounts and at a pace of their own") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const stream_id stream = make_stream(65536);
      const std::string bytes = pattern(2'000'000, 8);
      std::vector<Child> consumers;
      consumers.reserve(3);
      for (unsigned pace = 0; pace < 3; ++pace) {
        Child& consumer = consumers.emplace_back();
        consumer.body([=, &bytes] {
          spmc::base::sleep_ns(pace * 5'000'000u);
          read_in_amounts(stream, bytes, pace);
          return 0;
        });
        EXPECT(stream_setcons(stream, consumer.number()) == 0);
        consumer.start();
      }
      write_in_amounts(stream, bytes, 5);
      for (Child& consumer : consumers) consumer.join_well();
    });
  }
}

TEST_CASE("an ended stream stays at its end, and an empty one begins there") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const stream_id empty = make_stream(), full = make_stream(8192);
      Child producer([=] {
        EXPECT(stream_end(empty) == 0);
        EXPECT(stream_write(full, pattern(4080, 0).data(), 4080) == 0);  // all that the window holds
        EXPECT(stream_end(full) == 0);
        return 0;
      });
      EXPECT(stream_setprod(empty, producer.number(), 1) == 0);
      EXPECT(stream_setprod(full, producer.number(), 1) == 0);
      producer.start();
      char byte;
      for (int i = 0; i < 3; ++i) EXPECT(stream_read(empty, &byte, 1) == 0);
      EXPECT(stream_test(empty) == 1);
      EXPECT(stream_skip(full, 4079) == 4079);
      EXPECT(stream_read(full, &byte, 1) == 1 && byte == pattern(4080, 0)[4079]);
      for (int i = 0; i < 3; ++i) EXPECT(stream_read(full, &byte, 1) == 0 && stream_skip(full, 9) == 0);
      producer.join_well();
      EXPECT(stream_read(full, &byte, 1) == 0);  // also when the producer is gone
    });
  }
}

TEST_CASE("a consumer's end that is handed on within a page continues there") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const stream_id stream = make_stream(16384);
      const std::string bytes = pattern(100'000, 2);
      Child producer([&] {
        write_in_amounts(stream, bytes, 9);
        return 0;
      });
      EXPECT(stream_setprod(stream, producer.number(), 1) == 0);
      producer.start();
      EXPECT(read_all(stream, 33'333) == bytes.substr(0, 33'333));
      Child late([&] { return read_all(stream, bytes.size()) == bytes.substr(33'333) ? 0 : 1; });
      EXPECT(stream_setcons(stream, late.number()) == 0);
      late.start();
      EXPECT(read_all(stream, bytes.size()) == bytes.substr(33'333));
      late.join_well();
      producer.join_well();
    });
  }
}

TEST_CASE("a producer's end continues where its giver stood, and so does its consumer") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const stream_id stream = make_stream();
      EXPECT(stream_write(stream, "before any consumer", 19) == 0);
      Child consumer([=] { return read_all(stream, 100) == "one two three" ? 0 : 1; });
      EXPECT(stream_setcons(stream, consumer.number()) == 0);
      consumer.start();
      EXPECT(stream_write(stream, "one ", 4) == 0);
      Child second([=] {
        EXPECT(stream_write(stream, "two ", 4) == 0);
        Child third([=] {
          EXPECT(stream_write(stream, "three", 5) == 0);
          EXPECT(stream_end(stream) == 0);
          return 0;
        });
        EXPECT(stream_setprod(stream, third.number(), 0) == 0);
        third.start();
        third.join_well();
        return 0;
      });
      EXPECT(stream_setprod(stream, second.number(), 1) == 0);
      second.start();
      EXPECT(read_all(stream, 100) == "two three");
      second.join_well();
      consumer.join_well();
    });
  }
}
