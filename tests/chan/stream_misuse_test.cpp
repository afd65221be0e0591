// Every misuse of a stream is an error that names it and changes nothing; and the typed interface.
#include <array>
#include <catch2/catch.hpp>
#include <cerrno>

#include <chan/stream.hpp>

#include "job.hpp"
#include "stream_job.hpp"

using namespace chan_job;

TEST_CASE("only the producer writes, only a consumer reads") {
  run_job(kDefaultMode, [] {
    const stream_id stream = make_stream();
    char byte = 0;
    EXPECT_FAILS(stream_read(stream, &byte, 1), EPERM, "this space is the producer");
    EXPECT_FAILS(stream_skip(stream, 1), EPERM, "only a consumer");
    EXPECT_FAILS(stream_test(stream), EPERM, "only a consumer");
    Child consumer([=] {
      char mine = 0;
      EXPECT_FAILS(stream_write(stream, &mine, 1), EPERM, "only the producer");
      EXPECT_FAILS(stream_flush(stream), EPERM, "stream_flush");
      EXPECT_FAILS(stream_end(stream), EPERM, "this space is a consumer");
      EXPECT(read_all(stream, 100) == "still works");
      return 0;
    });
    EXPECT(stream_setcons(stream, consumer.number()) == 0);
    consumer.start();
    write(stream, "still works");
    EXPECT(stream_end(stream) == 0);
    consumer.join_well();
  });
}

TEST_CASE("nothing is written behind the end") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const stream_id stream = make_stream();
      Child early([=] { return read_all(stream, 10) == "all" ? 0 : 1; }),
          late([=] { return read_all(stream, 9) != ""; });
      EXPECT(stream_setcons(stream, early.number()) == 0);
      early.start();
      write(stream, "all");
      EXPECT(stream_end(stream) == 0);
      EXPECT_FAILS(stream_write(stream, "x", 1), EPERM, "has ended");
      EXPECT_FAILS(stream_flush(stream), EPERM, "has ended");
      EXPECT_FAILS(stream_end(stream), EPERM, "has ended");
      // A consumer that is made now stands at the end.
      EXPECT(stream_setcons(stream, late.number()) == 0);
      late.start();
      late.join_well();
      early.join_well();
      EXPECT(stream_free(stream) == 0);
    });
  }
}

TEST_CASE("a stream that does not exist, was freed, was not handed over, or is a channel") {
  run_job(kDefaultMode, [] {
    char byte = 0;
    const stream_id freed = make_stream(), kept = make_stream();
    const chan_id channel = make_channel();
    EXPECT(stream_free(freed) == 0);
    for (const stream_id id : {stream_id{0}, stream_id{-1}, stream_id{99}, freed, channel}) {
      EXPECT_FAILS(stream_write(id, &byte, 1), EBADF, "there is no stream");
      EXPECT_FAILS(stream_flush(id), EBADF, "stream_flush");
      EXPECT_FAILS(stream_end(id), EBADF, "stream_end");
      EXPECT_FAILS(stream_read(id, &byte, 1), EBADF, "there is no stream");
      EXPECT_FAILS(stream_skip(id, 1), EBADF, "stream_skip");
      EXPECT_FAILS(stream_test(id), EBADF, "stream_test");
      EXPECT_FAILS(stream_free(id), EBADF, "stream_free");
    }
    EXPECT_FAILS(stream_write(channel, &byte, 1), EBADF, "it is a channel");
    EXPECT_FAILS(chan_send(kept, &byte, 1), EBADF, "it is a stream");
    Child child([=] {
      char mine = 0;
      EXPECT_FAILS(stream_read(kept, &mine, 1), EPERM, "not handed");
      EXPECT_FAILS(stream_free(kept), EPERM, "not handed");
      return 0;
    });
    EXPECT_FAILS(stream_setcons(freed, child.number()), EBADF, "stream_setcons");
    EXPECT_FAILS(stream_setprod(channel, child.number(), 1), EBADF, "it is a channel");
    child.start();
    child.join_well();
  });
}

TEST_CASE("bad arguments, and ends for children that cannot have them") {
  run_job(kDefaultMode, [] {
    const stream_id stream = make_stream();
    EXPECT_FAILS(stream_write(stream, nullptr, 1), EINVAL, "no buffer");
    EXPECT(stream_write(stream, nullptr, 0) == 0);
    EXPECT_FAILS(stream_alloc_window(SIZE_MAX), EINVAL, "stream_alloc_window");
    EXPECT_FAILS(stream_setcons(stream, 12345), ESRCH, "no child 12345");
    Child consumer([=] {
      EXPECT_FAILS(stream_read(stream, nullptr, 1), EINVAL, "no buffer");
      EXPECT(stream_read(stream, nullptr, 0) == 0);
      return read_all(stream, 1) != "";
    });
    EXPECT(stream_setcons(stream, consumer.number()) == 0);
    EXPECT_FAILS(stream_setcons(stream, consumer.number()), EEXIST, "has an end of it already");
    consumer.start();
    EXPECT_FAILS(stream_setprod(stream, consumer.number(), 0), EBUSY, "stream");
    EXPECT(stream_end(stream) == 0);
    consumer.join_well();
  });
}

TEST_CASE("a handing over that is refused flushes nothing") {
  run_job(kDefaultMode, [] {
    const stream_id stream = make_stream();
    Child consumer([=] { return stream_test(stream); });
    EXPECT(stream_setcons(stream, consumer.number()) == 0);
    write(stream, "withheld");
    EXPECT_FAILS(stream_setprod(stream, 77, 0), ESRCH, "no child 77");
    EXPECT_FAILS(stream_setcons(stream, consumer.number()), EEXIST, "has an end of it already");
    consumer.start();
    consumer.join_well();
  });
}

TEST_CASE("values and Results") {
  run_job(kDefaultMode, [] {
    auto made = chan::Stream::try_create(8192);
    EXPECT(made.ok());
    const chan::Stream stream = made.value();
    Child producer([=] {
      const chan::StreamWriter out = stream.writer();
      EXPECT(out.write(7).ok());
      std::vector<int> many(5'000, 3);
      EXPECT(out.write(std::span<const int>(many).first(2'000)).ok());
      EXPECT(out.write(std::span<int>(many).last(3'000)).ok());
      EXPECT(out.flush().ok());
      EXPECT(out.write("text").ok());
      EXPECT(out.write('!').ok());
      EXPECT(out.write(std::byte{1}).ok());
      EXPECT(out.end().ok());
      EXPECT(out.end().error().code == EPERM);
      return 0;
    });
    EXPECT(stream.give_writer(producer.number(), chan::Keep::kConsumer).ok());
    EXPECT(stream.give_reader(99).error().code == ESRCH);
    producer.start();
    const chan::StreamReader in = stream.reader();
    auto first = in.read<int>();
    EXPECT(first.ok() && first.value() == 7);
    std::vector<int> many(4'999);
    auto count = in.read(std::span<int>(many));
    EXPECT(count.ok() && count.value() == 4'999 && many[4'998] == 3);
    EXPECT(in.skip(sizeof(int)).value() == sizeof(int));
    auto word = in.read<std::array<char, 5>>();
    EXPECT(word.ok() && word.value() == (std::array{'t', 'e', 'x', 't', '!'}));
    EXPECT(in.read<int>().error().code == EMSGSIZE);  // one byte is left
    auto end = in.read<int>();
    EXPECT(end.ok() && !end.value().has_value());
    EXPECT(in.ready().value());
    producer.join_well();
    EXPECT(in.close().ok());
    EXPECT(in.close().error().code == EBADF);
  });
}
